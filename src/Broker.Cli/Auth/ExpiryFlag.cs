using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Text.Json.Nodes;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The flag <c>--expires</c>: a time from now such as 30d, a date, or never.</summary>
internal sealed class ExpiryFlag
{
    private const string Never = "never";

    private readonly Option<DateTimeOffset?> _expires = new("--expires", "--expiry")
    {
        Description = "When the token expires: 30d, 12h, a date such as 2027-12-31, or never [default: never]",
        HelpName = "time",
        CustomParser = Parse,
    };

    public void AddTo(Command command) => command.Options.Add(_expires);

    /// <summary>The Unix time in seconds; null for never, also without the flag.</summary>
    public long? Find(ParseResult flags) => flags.GetValue(_expires) is { } time && time != DateTimeOffset.MaxValue ? time.ToUnixTimeSeconds() : null;

    /// <summary>Sets or removes the claim if the flag is given.</summary>
    public void ApplyTo(JsonObject claims, ParseResult flags)
    {
        if (flags.GetValue(_expires) is not { } time)
        {
            return;
        }

        if (time == DateTimeOffset.MaxValue)
        {
            claims.Remove("exp");
        }
        else
        {
            claims["exp"] = time.ToUnixTimeSeconds();
        }
    }

    private static DateTimeOffset? Parse(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        DateTimeOffset now = DateTimeOffset.UtcNow;
        if (text.Equals(Never, StringComparison.OrdinalIgnoreCase))
        {
            return DateTimeOffset.MaxValue;
        }

        if (LongTime.TryParse(text, out TimeSpan time) && time >= TimeSpan.FromSeconds(1) && time < DateTimeOffset.MaxValue - now)
        {
            return now + time;
        }

        if (DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset date) && text.Contains('-', StringComparison.Ordinal))
        {
            if (date > now)
            {
                return date;
            }

            result.AddError($"--expires must be in the future, but \"{text}\" is past");
            return null;
        }

        result.AddError($"--expires must be a time such as 30d or 12h, a date such as 2027-12-31, or never, not \"{text}\"");
        return null;
    }
}
