using System.CommandLine;
using System.CommandLine.Parsing;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>The flag <c>--header</c>.</summary>
internal static class HeaderFlag
{
    public static Option<string[]> Create()
    {
        var option = new Option<string[]>("--header", "-H")
        {
            Description = "Header of the message, \"NAME: VALUE\"; may be repeated",
            HelpName = "header",
            Arity = ArgumentArity.OneOrMore,
            AllowMultipleArgumentsPerToken = false,
        };
        option.Validators.Add(Check);
        return option;
    }

    /// <summary>Returns the encoded headers, or empty memory if there are none.</summary>
    public static ReadOnlyMemory<byte> Read(ParseResult flags, Option<string[]> option)
    {
        if (flags.GetValue(option) is not { Length: > 0 } given)
        {
            return default;
        }

        var headers = new MessageHeaders();
        foreach (string header in given)
        {
            Add(headers, header);
        }

        return headers.ToBlock();
    }

    private static void Check(OptionResult result)
    {
        foreach (Token token in result.Tokens)
        {
            try
            {
                Add([], token.Value);
            }
            catch (ArgumentException)
            {
                result.AddError(
                    $"--header must be a name, a colon and a value such as \"Trace: 1\", not \"{token.Value}\"");
            }
        }
    }

    private static void Add(MessageHeaders headers, string header)
    {
        string[] parts = header.Split(':', 2);
        if (parts.Length < 2)
        {
            throw new ArgumentException("A header needs a colon.", nameof(header));
        }

        headers.Add(parts[0].Trim(), parts[1].Trim());
    }
}
