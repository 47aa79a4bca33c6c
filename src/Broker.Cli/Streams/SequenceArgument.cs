using System.CommandLine;
using System.Globalization;

namespace Broker.Cli.Streams;

/// <summary>The argument with the sequence of a message or the revision of a key.</summary>
internal static class SequenceArgument
{
    public static Argument<ulong> Create(bool isOptional, string name = "sequence", string what = "Sequence of the message") => new(name)
    {
        Description = what,
        Arity = isOptional ? ArgumentArity.ZeroOrOne : ArgumentArity.ExactlyOne,
        CustomParser = result =>
        {
            string text = result.Tokens[0].Value;
            if (ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong sequence) && sequence > 0)
            {
                return sequence;
            }

            result.AddError($"the {name} must be a whole number above 0, not \"{text}\"");
            return 0;
        },
    };
}
