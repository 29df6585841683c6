// Model files: chosen, read on another thread, told about, run.

#include <algorithm>

#include "core/words/words.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/chat_template.h"
#include "lessons/scenarios/model_choice.h"
#include "visualizer/app/app.h"
#include "visualizer/app/model_files.h"

namespace kvarium::ui {
namespace {

FormField* field_of(ScenarioForm& form, std::string_view id) {
  const auto at =
      std::find_if(form.fields.begin(), form.fields.end(), [id](const auto& field) { return field.id == id; });
  return at == form.fields.end() ? nullptr : &*at;
}

/// What suits a model that answers questions, where the person has changed nothing.
void suggest(ScenarioForm& form, std::string_view id, std::string_view value) {
  const FormField* field = field_of(form, id);
  if (field != nullptr && !field->changed()) set_field(form, id, value);
}

}  // namespace

void App::choose_model() {
  later([this] {
    if (model_dialog_.path.empty()) model_dialog_.path = folder_of("").string() + "/";
    model_dialog_.show();
  });
}

void App::open_model(const std::string& path) {
  later([this, path] {
    start_when_opened_.reset();
    model_dialog_.error.clear();
    loader_.start({path, ""});
  });
}

void App::stop_opening() {
  later([this] { loader_.cancel(); });
}

bool App::add_model(ScenarioParams& params, bool play) {
  if (params.model_path.empty()) return true;
  const ModelFiles files{params.model_path, params.tokenizer_path};
  if (opened_ != nullptr && opened_files_ == files) {
    params.opened = opened_;
    return true;
  }
  start_when_opened_ = play;
  if (!loader_.running() || loader_.files() != files) loader_.start(files);
  return false;
}

void App::take_opened() {
  const bool for_form = start_when_opened_.has_value();
  form_.note = loader_.running() && for_form ? reading_words(loader_.files().model, loader_.progress()) : "";
  model_dialog_.reading = loader_.running() && !for_form;
  model_dialog_.progress = loader_.progress();
  if (model_dialog_.open && !model_dialog_.reading) {
    const std::string folder = folder_of(model_dialog_.path).string();
    if (model_dialog_.listing.folder != folder) model_dialog_.listing = list_models(folder);
  }
  const std::optional<ModelLoader::Result> result = loader_.take();
  if (!result) return;
  form_.note.clear();
  model_dialog_.reading = false;
  const std::optional<bool> play = std::exchange(start_when_opened_, std::nullopt);
  if (!result->error.empty()) {
    (play ? form_.error : model_dialog_.error) = result->error;
    if (play) say(result->error, true);
  }
  if (result->choice == nullptr) return;
  opened_ = result->choice;
  opened_files_ = result->files;
  models_.keep(opened_->model);
  play ? start(*play) : show_opened();
}

void App::show_opened() {
  model_dialog_.facts = opened_->facts;
  model_dialog_.just_opened = true;
  if (form_.chosen != "own") choose(form_, "own");
  set_field(form_, "model_path", opened_files_.model);
  set_field(form_, "tokenizer_path", opened_files_.tokenizer);
  if (!cpu::chat_template_of(*opened_->tokenizer)) return;
  suggest(form_, "prompt_kind", "chat");
  suggest(form_, "prompt", tr("Why is the sky blue?"));
  suggest(form_, "num_requests", "1");
  suggest(form_, "temperature", "0");
}

}  // namespace kvarium::ui
