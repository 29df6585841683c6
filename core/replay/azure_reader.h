#pragma once
// The traces that Azure published (Azure/AzurePublicDataset, AzureLLMInferenceTrace_*.csv): times and lengths, without
// hashes. They say what load came, not which prompts began alike, so no prefix cache can be replayed over them.

#include <istream>
#include <optional>
#include <string>

#include "core/replay/line_reader.h"
#include "core/replay/request_trace.h"

namespace kvarium {

/// Reads the header TIMESTAMP,ContextTokens,GeneratedTokens and rows as 2023-11-16 18:17:03.9799600,4808,10. Lines end
/// in CR LF or LF, the last one may lack its end. Times become milliseconds since the first row, exact to 0.0001, and
/// must not go back. InputError names the line; `name` is the file's. None when cancelled.
std::optional<RequestTrace> read_azure(std::istream& in, const std::string& name, const OnProgress& on_progress,
                                       const CancelToken& cancel);

}  // namespace kvarium
