#pragma once
// A model that was trained on conversations goes on with one only when it is written as it was in the training.
// Files say how in the template language Jinja; this reads the common templates without running them.

#include <optional>
#include <string>
#include <string_view>

#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium::cpu {

enum class ChatFormat {
  chatml,   ///< <|im_start|>user\n...<|im_end|>\n: SmolLM2, Qwen
  llama3,   ///< <|start_header_id|>user<|end_header_id|>\n\n...<|eot_id|>
  llama2,   ///< [INST] <<SYS>>\n...\n<</SYS>>\n\n... [/INST]
  mistral,  ///< [INST] ... [/INST], the system message before the user's
};

/// "ChatML", "Llama 3"
std::string_view name(ChatFormat format);

struct ChatTemplate {
  ChatFormat format = ChatFormat::chatml;
  bool adds_begin = false;     ///< the begin token stands before it all
  std::string default_system;  ///< the system message when nobody gives one; empty: none
  std::string system_head;     ///< what stands before every system message: the dates of Llama 3.1
  std::string open = "[INST] ", close = " [/INST]";  ///< around the user's message: llama2, mistral
};

/// Which of the formats the template writes; nothing when it is none of them. A date that the template asks the clock
/// for is the one it gives in case there is no clock.
std::optional<ChatTemplate> recognise_chat_template(std::string_view source);

/// The first turn of a conversation, up to where the answer begins. `begin`: how the begin token is written. `system`:
/// empty: the template's own. What the two say names no control tokens.
QuotingText render_chat(const ChatTemplate& chat, std::string_view begin, std::string_view system,
                        std::string_view user);

/// The template of the tokenizer, or where it has none the one that its control tokens belong to; nothing: unknown.
std::optional<ChatTemplate> chat_template_of(const Tokenizer& tokenizer);

/// The tokens of a conversation's first turn; nothing when the tokenizer's template is unknown or missing. InputError
/// when the vocabulary cannot spell the text.
std::optional<std::vector<TokenId>> chat_prompt(const Tokenizer& tokenizer, std::string_view system,
                                                std::string_view user);

}  // namespace kvarium::cpu
