using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Broker.Hosting;

namespace Broker.Cli.Streams;

/// <summary>Creates flags with limits, times and names, as the <c>nats</c> command has them: -1 is no limit.</summary>
internal static class StorageFlags
{
    public static Option<long?> Limit(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "number",
        CustomParser = static result => Parse(
            result, static text => long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long limit) && limit is -1 or > 0 ? limit : (long?)null,
            "a whole number above 0, or -1 for no limit"),
    };

    /// <summary>A limit that the API has as a 32-bit number.</summary>
    public static Option<int?> SmallLimit(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "number",
        CustomParser = static result => Parse(
            result, static text => int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int limit) && limit is -1 or > 0 ? limit : (int?)null,
            $"a whole number from 1 to {int.MaxValue}, or -1 for no limit"),
    };

    public static Option<long?> SizeLimit(string name, string what, long most = long.MaxValue) => new(name)
    {
        Description = what,
        HelpName = "bytes",
        CustomParser = result => Parse(
            result, text => text == "-1" ? -1 : ByteSize.TryParse(text, out long bytes) && bytes > 0 && bytes <= most ? bytes : (long?)null,
            most == long.MaxValue ? "a size such as 512MB or 1GB, or -1 for no limit" : "a size of less than 2GB such as 64KB, or -1 for no limit"),
    };

    public static Option<TimeSpan?> Time(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "time",
        CustomParser = static result => Parse(
            result, static text => LongTime.TryParse(text, out TimeSpan time) ? time : (TimeSpan?)null, "a time such as 30s, 12h, 1h30m or 7d"),
    };

    public static Option<ulong?> Sequence(string name, string what) => new(name)
    {
        Description = what,
        HelpName = "number",
        CustomParser = static result => Parse(
            result, static text => ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number) && number > 0 ? number : (ulong?)null,
            "a whole number above 0"),
    };

    public static Option<string?> Choice(string name, string what, params string[] choices)
    {
        var option = new Option<string?>(name) { Description = $"{what}: {string.Join(", ", choices[..^1])} or {choices[^1]}", HelpName = "name" };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: { } value }] && !choices.Contains(value, StringComparer.Ordinal))
            {
                result.AddError($"{name} must be {string.Join(", ", choices[..^1])} or {choices[^1]}, not \"{value}\"");
            }
        });
        option.CompletionSources.Add(choices);
        return option;
    }

    /// <summary>A flag that may be repeated, and whose values may be separated by commas.</summary>
    public static Option<string[]> List(string name, string what, string helpName) => new(name)
    {
        Description = what,
        HelpName = helpName,
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
        CustomParser = static result => [.. result.Tokens.SelectMany(static token => token.Value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))],
    };

    /// <summary>A flag that can be switched off by <c>=false</c>, so that a command can leave it as it is.</summary>
    public static Option<bool?> Switch(string name, string what) => new(name) { Description = what, HelpName = "true|false" };

    private static T? Parse<T>(ArgumentResult result, Func<string, T?> read, string wanted)
        where T : struct
    {
        string text = result.Tokens[0].Value;
        if (read(text) is { } value)
        {
            return value;
        }

        result.AddError($"{((OptionResult)result.Parent!).Option.Name} must be {wanted}, not \"{text}\"");
        return null;
    }
}
