#include "cpu_reference/tokenizer/chat_template.h"

#include <algorithm>

namespace kvarium::cpu {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

/// The text that a Jinja literal writes.
std::string unescape(std::string_view literal) {
  std::string text;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    ++i;
    text += literal[i] == 't' ? '\t' : literal[i];
  }
  return text;
}

/// Line feeds as themselves: files write them so, or as the two characters of a Jinja literal.
std::string with_line_feeds(std::string_view jinja) {
  std::string text;
  for (std::size_t i = 0; i < jinja.size(); ++i) {
    const bool is_feed = jinja.compare(i, 2, "\\n") == 0;
    text += is_feed ? '\n' : jinja[i];
    if (is_feed) ++i;
  }
  return text;
}

/// What stands between `head` and `tail` inside one literal, '<head>You are ...<tail>'; empty when nothing does. Where
/// the literal ends between them, the template puts the words of the conversation there.
std::string words_between(std::string_view jinja, std::string_view head, std::string_view tail) {
  for (std::size_t at = jinja.find(head); at != std::string_view::npos; at = jinja.find(head, at + 1)) {
    const std::size_t begin = at + head.size();
    const std::size_t end = jinja.find(tail, begin);
    if (at == 0 || end == std::string_view::npos) continue;
    const char quote = jinja[at - 1];
    const std::string_view words = jinja.substr(begin, end - begin);
    const bool is_literal = quote == '\'' || quote == '"';
    bool stays_inside = !words.empty();
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == quote && (i == 0 || words[i - 1] != '\\')) stays_inside = false;
    }
    if (is_literal && stays_inside) return unescape(words);
  }
  return {};
}

ChatTemplate chatml(std::string_view jinja) {
  ChatTemplate chat;
  chat.format = ChatFormat::chatml;
  chat.default_system = words_between(jinja, "<|im_start|>system\n", "<|im_end|>");
  return chat;
}

ChatTemplate llama3(std::string_view jinja) {
  ChatTemplate chat;
  chat.format = ChatFormat::llama3;
  chat.adds_begin = true;
  const std::string knowledge = words_between(jinja, "Cutting Knowledge Date: ", "\n");
  if (knowledge.empty()) return chat;
  constexpr std::string_view kDate = "date_string = \"";
  const std::size_t date = jinja.find(kDate);
  const std::size_t end = date == std::string_view::npos ? date : jinja.find('"', date + kDate.size());
  chat.system_head = "Cutting Knowledge Date: " + knowledge + "\n";
  if (end != std::string_view::npos) {
    const std::size_t begin = date + kDate.size();
    chat.system_head.append("Today Date: ").append(jinja.substr(begin, end - begin)) += '\n';
  }
  chat.system_head += '\n';
  return chat;
}

ChatTemplate instructions(std::string_view jinja) {
  ChatTemplate chat;
  chat.format = contains(jinja, "<<SYS>>") ? ChatFormat::llama2 : ChatFormat::mistral;
  chat.adds_begin = true;
  if (!contains(jinja, "[INST] ")) chat.open = "[INST]";
  if (!contains(jinja, " [/INST]")) chat.close = "[/INST]";
  return chat;
}

/// Writes a prompt; what it quotes names no control tokens.
class Writer {
 public:
  Writer& write(std::string_view text) {
    prompt_.text += text;
    return *this;
  }
  Writer& quote(std::string_view text) {
    prompt_.quotes.push_back({prompt_.text.size(), prompt_.text.size() + text.size()});
    return write(text);
  }
  QuotingText take() { return std::move(prompt_); }

 private:
  QuotingText prompt_;
};

void write_chatml(Writer& to, std::string_view system, std::string_view user) {
  if (!system.empty()) to.write("<|im_start|>system\n").quote(system).write("<|im_end|>\n");
  to.write("<|im_start|>user\n").quote(user).write("<|im_end|>\n<|im_start|>assistant\n");
}

void write_llama3(Writer& to, const ChatTemplate& chat, std::string_view system, std::string_view user) {
  const auto open = [&](std::string_view role) {
    to.write("<|start_header_id|>").write(role).write("<|end_header_id|>\n\n");
  };
  if (!system.empty() || !chat.system_head.empty()) {
    open("system");
    to.write(chat.system_head).quote(trim(system)).write("<|eot_id|>");
  }
  open("user");
  to.quote(trim(user)).write("<|eot_id|>");
  open("assistant");
}

void write_instructions(Writer& to, const ChatTemplate& chat, std::string_view system, std::string_view user) {
  to.write(chat.open);
  if (chat.format == ChatFormat::llama2) {
    if (!system.empty()) to.write("<<SYS>>\n").quote(system).write("\n<</SYS>>\n\n");
    to.quote(trim(user));
  } else {
    if (!system.empty()) to.quote(system).write("\n\n");
    to.quote(user);
  }
  to.write(chat.close);
}

}  // namespace

std::string_view name(ChatFormat format) {
  switch (format) {
    case ChatFormat::chatml:
      return "ChatML";
    case ChatFormat::llama3:
      return "Llama 3";
    case ChatFormat::llama2:
      return "Llama 2";
    case ChatFormat::mistral:
      return "Mistral";
  }
  return "";
}

std::optional<ChatTemplate> recognise_chat_template(std::string_view source) {
  const std::string jinja = with_line_feeds(source);
  std::optional<ChatTemplate> chat;
  if (contains(jinja, "<|im_start|>")) chat = chatml(jinja);
  if (contains(jinja, "<|start_header_id|>")) chat = llama3(jinja);
  if (contains(jinja, "[INST]") && !contains(jinja, "[SYSTEM_PROMPT]")) chat = instructions(jinja);
  if (chat && contains(jinja, "bos_token")) chat->adds_begin = true;
  return chat;
}

QuotingText render_chat(const ChatTemplate& chat, std::string_view begin, std::string_view system,
                        std::string_view user) {
  const std::string_view instruction = system.empty() ? chat.default_system : system;
  Writer to;
  if (chat.adds_begin) to.write(begin);
  switch (chat.format) {
    case ChatFormat::chatml:
      write_chatml(to, instruction, user);
      break;
    case ChatFormat::llama3:
      write_llama3(to, chat, instruction, user);
      break;
    case ChatFormat::llama2:
    case ChatFormat::mistral:
      write_instructions(to, chat, instruction, user);
      break;
  }
  return to.take();
}

std::optional<ChatTemplate> chat_template_of(const Tokenizer& tokenizer) {
  if (!tokenizer.chat_template().empty()) return recognise_chat_template(tokenizer.chat_template());
  for (const Piece& piece : tokenizer.pieces()) {
    if (piece.kind != TokenKind::control) continue;
    if (piece.bytes == "<|im_start|>" || piece.bytes == "<|start_header_id|>") {
      return recognise_chat_template(piece.bytes);
    }
  }
  return {};
}

std::optional<std::vector<TokenId>> chat_prompt(const Tokenizer& tokenizer, std::string_view system,
                                                std::string_view user) {
  const std::optional<ChatTemplate> chat = chat_template_of(tokenizer);
  if (!chat) return {};
  const std::string begin = tokenizer.begin() ? tokenizer.name(*tokenizer.begin()) : std::string();
  return tokenizer.encode_with_specials(render_chat(*chat, begin, system, user));
}

}  // namespace kvarium::cpu
