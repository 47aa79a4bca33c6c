using System.Globalization;
using Broker.Server.Tests.Harness;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tests.Logging;

/// <summary>Texts that untrusted clients choose, in log lines outside the protocol trace.</summary>
public sealed class ClientTextTests
{
    /// <param name="most">The number of characters that a log line shows.</param>
    public static TheoryData<string, string> Texts(int most) => new()
    {
        { "plain, grüße, 世界 🙂", "plain, grüße, 世界 🙂" },
        { "a\r\nb\tc\u001b[2J", "a??b?c?[2J" },
        { "a\u0085b\u2028c\u2029d", "a?b?c?d" },
        { "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c|", "????????????|" },
        { "\u00ad\u200b\ufeff\U000e0041|", "????|" },
        { new string('x', most - 1) + "🙂🙂", new string('x', most - 1) + "🙂" },
    };

    [Theory]
    [MemberData(nameof(Texts), 128)]
    public void The_name_of_a_client_cannot_end_a_log_line_or_change_its_direction(string said, string shown)
    {
        var log = new LogCapture(LogLevel.Debug);
        using var broker = new DrivenBroker(o => o.Logger = log);
        string text = string.Concat(said.Select(static c => string.Create(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}")));
        broker.Connect($"CONNECT {{\"name\":\"{text}\",\"lang\":\"{text}\",\"version\":\"{text}\"}}\r\n");
        Assert.Single(log.All, l => l.EndsWith($" connected: name '{shown}', {shown} {shown}", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Texts), 256)]
    public void The_reason_of_a_refusal_cannot_end_a_log_line_or_change_its_direction(string said, string shown)
    {
        var log = new LogCapture();
        using var broker = new DrivenBroker(o =>
        {
            o.Logger = log;
            o.AuthorizeAsync = _ => new ValueTask<AuthorizationResult>(AuthorizationResult.Deny(said));
        });
        broker.Connect("CONNECT {}\r\n");
        Assert.EndsWith($" not authorized: {shown}", Assert.Single(log.Warnings), StringComparison.Ordinal);
    }
}
