"""The models that are trained here: shape, steps, and what each is for."""

from dataclasses import dataclass

CONTEXT = 512  # tokens of a row in training, and the longest text of the models
VOCAB = 1024


@dataclass(frozen=True)
class Recipe:
    name: str
    purpose: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int  # of MLA: all heads read one latent row
    ffn_hidden: int
    steps: int
    head_dim: int = 32
    rows: int = 8  # of CONTEXT tokens in a step
    matrix_rate: float = 0.01  # of Muon, for the matrices of the layers
    vector_rate: float = 0.003  # of AdamW, for embedding and norms
    copying_steps: int = 0  # the first steps, on random tokens that repeat; then both rates fall to half
    latent_dim: int = 0  # MLA only: width of what is kept of a token, without its rotary key
    rotary_dim: int = 0  # MLA only: width of the rotary key
    teacher: str = ""  # whose next-token probabilities it learns beside the text
    seed: int = 1


_SIBLING = dict(layers=3, hidden=96, heads=6, ffn_hidden=128, head_dim=16, steps=3500, copying_steps=2000)

RECIPES = {
    recipe.name: recipe
    for recipe in [
        Recipe("tales-target", "writes stories and recalls facts", layers=6, hidden=192, heads=6, kv_heads=2,
               ffn_hidden=384, steps=2800, copying_steps=1000),
        Recipe("tales-draft", "guesses what tales-target will say, at a tenth of the cost", layers=2, hidden=96,
               heads=3, kv_heads=1, ffn_hidden=256, steps=3000, copying_steps=1000, teacher="tales-target"),
        Recipe("tales-one", "has one layer and one head, so that its work can be counted by hand", layers=1, hidden=64,
               heads=1, kv_heads=1, ffn_hidden=192, steps=1000),
        Recipe("tales-mha", "keeps keys and values of all 6 heads", kv_heads=6, **_SIBLING),
        Recipe("tales-gqa", "keeps 2 KV heads for 6 query heads", kv_heads=2, **_SIBLING),
        Recipe("tales-mqa", "keeps 1 KV head for 6 query heads", kv_heads=1, **_SIBLING),
        Recipe("tales-mla", "keeps one latent row and one rotary key", kv_heads=6, latent_dim=32, rotary_dim=8,
               **_SIBLING),
    ]
}
