"""Weights for tiny models that are chosen so that every part of a model shows in its logits."""

import torch


def randomize(model, seed):
    """Numbers of a size at which attention has favourites; norms about 1; biases that are not 0."""
    draws = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=draws)
        is_norm = "norm" in name or ".ln_" in name
        with torch.no_grad():
            if is_norm and name.endswith("weight"):
                weight.copy_(1.0 + 0.3 * noise)
            elif weight.dim() == 1:
                weight.copy_(0.2 * noise)
            else:
                weight.copy_(noise / weight.shape[-1] ** 0.5)


def logits_of(model, tokens):
    """[tokens][vocab] in float32, computed in float64 from the weights as they are."""
    with torch.no_grad():
        return model.double().eval()(torch.tensor([tokens])).logits[0].float().numpy()


def random_tokens(count, vocab, seed):
    draws = torch.Generator().manual_seed(seed)
    return torch.randint(0, vocab, (count,), generator=draws).tolist()
