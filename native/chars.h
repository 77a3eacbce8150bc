/* Classes of characters. IDEOGRAPH: letters of scripts that do not separate words by spaces. */
#ifndef CRFCLEAN_CHARS_H
#define CRFCLEAN_CHARS_H

enum { LOWER, UPPER, UNCASED, DIGIT, PUNCT, SPACE, OTHER, IDEOGRAPH, CLASSES };

#endif
