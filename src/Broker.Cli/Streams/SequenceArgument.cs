using System.CommandLine;
using System.Globalization;

namespace Broker.Cli.Streams;

/// <summary>The argument with the sequence of a message.</summary>
internal static class SequenceArgument
{
    public static Argument<ulong> Create(bool isOptional) => new("sequence")
    {
        Description = "Sequence of the message",
        Arity = isOptional ? ArgumentArity.ZeroOrOne : ArgumentArity.ExactlyOne,
        CustomParser = static result =>
        {
            string text = result.Tokens[0].Value;
            if (ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong sequence) && sequence > 0)
            {
                return sequence;
            }

            result.AddError($"the sequence of a message must be a whole number above 0, not \"{text}\"");
            return 0;
        },
    };
}
