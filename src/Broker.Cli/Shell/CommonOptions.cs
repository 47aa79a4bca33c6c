using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Broker.Hosting;

namespace Broker.Cli.Shell;

/// <summary>Creates the flags that several commands have.</summary>
internal static class CommonOptions
{
    public static Option<bool> Json() => new("--json") { Description = "Show each message as a JSON object on one line" };

    public static Option<bool> Raw() => new("--raw") { Description = "Show only the bodies, without escapes" };

    public static Option<bool> Hex(string what) => new("--hex") { Description = what };

    public static Option<long?> Count(string what) => new("--count", "-n")
    {
        Description = what,
        HelpName = "number",
        CustomParser = ParseCount,
    };

    public static Option<TimeSpan?> Time(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "time",
        CustomParser = ParseTime,
    };

    public static Option<long?> Number(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "number",
        CustomParser = ParseCount,
    };

    public static Option<long?> Size(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "bytes",
        CustomParser = ParseSize,
    };

    /// <summary>Returns the output format that the flags ask for.</summary>
    /// <exception cref="UsageException">The flags ask for two formats.</exception>
    public static OutputForm Form(ParseResult flags, Option<bool> json, Option<bool> raw, Option<bool> hex)
    {
        (Option<bool> Flag, OutputForm Form)[] given = [.. ((Option<bool> Flag, OutputForm Form)[])
            [(json, OutputForm.Json), (raw, OutputForm.Raw), (hex, OutputForm.Hex)]];
        given = [.. given.Where(g => flags.GetValue(g.Flag))];
        return given switch
        {
            [] => OutputForm.Text,
            [var one] => one.Form,
            [var one, var other, ..] => throw new UsageException($"{one.Flag.Name} and {other.Flag.Name} cannot be combined"),
        };
    }

    private static long? ParseCount(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long count) && count > 0)
        {
            return count;
        }

        result.AddError($"{Name(result)} must be a whole number above 0, not \"{text}\"");
        return null;
    }

    private static long? ParseSize(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (ByteSize.TryParse(text, out long bytes) && bytes > 0)
        {
            return bytes;
        }

        result.AddError($"{Name(result)} must be a size such as 512MB or 1GB, not \"{text}\"");
        return null;
    }

    private static TimeSpan? ParseTime(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        // Timers take milliseconds as a 32-bit number.
        if (Duration.TryParse(text, out TimeSpan time) && time.TotalMilliseconds <= int.MaxValue)
        {
            return time;
        }

        result.AddError($"{Name(result)} must be a time such as 5s, 250ms or 1m30s, not \"{text}\"");
        return null;
    }

    private static string Name(ArgumentResult result) => ((OptionResult)result.Parent!).Option.Name;
}
