"""Sentence forms that fit many tales: openings, closings, and remarks that are made only when they are true."""

OPENINGS = [
    "Once there was a [little |young |]{child} named {a}. One {weather} {time}, {he} went to {place}.",
    "One {weather} {time}, {a} was {there}.",
    "In a small house near {home} lived a {child} named {a}. One {time} {he} went to {place}.",
    "It was a {weather} {time}, and {a} was {there}.",
    "There was once a {child} called {a} who lived near {home}. On a {weather} {time}, {he} walked to {place}.",
    "{a} lived with {his} {elder} near {home}. One {weather} {time}, {he} [walked|went|ran] to {place}.",
    "{a} liked to be {there}. One {weather} {time}, {he} went there again.",
    "Long ago, a {child} named {a} lived near {home}. One {time} {he} set out for {place}.",
]

CLOSINGS = [
    "{a} never forgot that day.",
    "That night, {a} told {his} {elder} all about it.",
    "{a} and {b} stayed good friends for a long time.",
    "After that, {a} and {b} were better friends than ever.",
    "{a} slept well that night.",
]

# Only for tales that end where they began.
CLOSINGS_THERE = CLOSINGS + [
    "\"What a day!\" said {a}, and {b} laughed.",
    "Then {a} and {b} walked home together.",
    "From that day on, {a} and {b} often met {there}.",
]

HOLDING = [
    "{x} held {the} with both hands.",
    "{x} still had {the} in {xhis} hand.",
    "{x} took good care of {the}.",
]

MOODS = {
    "sad": ["{x} wiped away a tear.", "{x} felt [very |]sad.", "{x} had a tear on {xhis} cheek."],
    "glad": ["{x} could not stop smiling.", "{x} felt warm inside.", "{x} had a big smile on {xhis} face."],
    "afraid": ["{x} was shaking a little.", "{x} felt {xhis} heart beat fast.", "{x} felt small and afraid."],
    "proud": ["{x} stood very straight.", "{x} felt proud.", "{x} smiled, and {xhis} eyes were bright."],
    "worried": ["{x} did not smile.", "{x} felt worried.", "{x} let out a deep sigh."],
    "angry": ["{x} was still angry.", "{x} did not want to talk.", "{x} looked away, and {xhis} face was red."],
    "tired": ["{x} was tired but did not stop.", "{x} took a deep breath."],
}
WEATHER_REMARKS = {
    "sunny": ["The sun was shining.", "The sky was blue and clear."],
    "windy": ["The wind blew through the trees.", "Leaves flew past in the wind."],
    "cloudy": ["Grey clouds moved slowly over the sky.", "The sun hid behind the clouds."],
    "cold": ["The air was cold and clear.", "It was so cold that you could see your breath."],
    "warm": ["The air was warm and soft.", "A warm wind was blowing."],
    "foggy": ["The fog was thick and white.", "It was hard to see far in the fog."],
    "stormy": ["The wind was very loud.", "The trees moved in the wind."],
    "rainy": ["The rain fell softly.", "There was water everywhere."],
    "snowy": ["Snow covered the ground.", "Everything was white and quiet."],
}

SURROUNDINGS = {
    "the garden": ["Bees flew from flower to flower.", "The garden smelled of roses."],
    "the lake": ["Small waves moved over the lake.", "A fish jumped in the lake."],
    "the forest": ["The trees were tall and old.", "A bird sang high in a tree."],
    "the market": ["People were talking and laughing.", "The market smelled of bread and fruit."],
    "the hill": ["From the hill you could see the whole village.", "Sheep stood on the side of the hill."],
    "the river": ["The river ran fast over the stones.", "The water of the river was clear."],
    "the bridge": ["The water ran fast under the bridge.", "The old bridge was made of wood."],
    "the farm": ["The hens were looking for corn.", "A cow looked over the fence."],
    "the beach": ["The waves came and went.", "The sand was soft and white."],
    "the field": ["The corn stood high in the field.", "A rabbit ran across the field."],
    "the well": ["The water in the well was deep and dark.", "A bucket stood next to the well."],
    "the village": ["A bell rang in the village.", "Smoke came from the roofs of the village."],
    "the park": ["Children were playing in the park.", "An old man sat on a bench in the park."],
    "the pond": ["A duck swam across the pond.", "A frog sat on a leaf in the pond."],
    "the harbor": ["The boats moved up and down in the harbor.", "The harbor smelled of fish and salt."],
    "the meadow": ["The meadow was full of flowers.", "The grass in the meadow was high."],
}
