using System.Globalization;
using System.Net;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore.Tests.Live;

/// <summary>The last lines of the log on <c>/logz</c>.</summary>
public sealed class RecentLogTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_page_has_the_last_lines_from_information_upwards_cut_and_with_the_error()
    {
        using var log = new RecentLog();
        using ILoggerFactory loggers = LoggerFactory.Create(b => b.SetMinimumLevel(LogLevel.Trace).AddProvider(log));
        ILogger logger = loggers.CreateLogger("Some.Part");
        for (int i = 0; i < RecentLog.Capacity + 7; i++)
        {
            logger.Write(LogLevel.Information, string.Create(CultureInfo.InvariantCulture, $"line {i}"));
        }

        logger.Write(LogLevel.Debug, "debug");
        logger.Write(LogLevel.Trace, "trace");
        logger.Write(LogLevel.Warning, "<b>\u001b[31m" + new string('x', 5_000));
        logger.Write(LogLevel.Error, "failed", new InvalidOperationException("why"));
        await using Site site = await Site.StartAsync(monitoring: new MonitoringOptions { Log = log });
        JsonElement[] lines = [.. (await site.GetAsync("logz")).GetProperty("lines").EnumerateArray()];
        Assert.Equal(RecentLog.Capacity, lines.Length);
        Assert.Equal("line 9", Text(lines[0], "text"));
        Assert.Equal(("info", "Some.Part"), (Text(lines[0], "level"), Text(lines[0], "category")));
        Assert.True(DateTime.Parse(Text(lines[0], "time"), CultureInfo.InvariantCulture) > DateTime.UnixEpoch);
        Assert.Equal("warn", Text(lines[^2], "level"));
        Assert.Equal("<b>\u001b[31m" + new string('x', RecentLog.MaxLineLength - 8) + "…", Text(lines[^2], "text"));
        Assert.Equal("failed (InvalidOperationException: why)", Text(lines[^1], "text"));
        Assert.Equal("error", Text(lines[^1], "level"));
        string raw = await site.Http.GetStringAsync("logz", Ended);
        Assert.DoesNotContain("<b>", raw, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b", raw, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(LogLevel.Trace)]
    [InlineData(LogLevel.Debug)]
    public void Lines_that_may_contain_payloads_cannot_be_kept(LogLevel level)
        => Assert.Throws<ArgumentOutOfRangeException>(nameof(level), () => new RecentLog(level));

    [Fact]
    public async Task Without_a_log_there_is_no_page_and_with_an_access_rule_it_is_refused()
    {
        await using Site none = await Site.StartAsync();
        using HttpResponseMessage missing = await none.Http.GetAsync("logz", Ended);
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        using var log = new RecentLog();
        await using Site closed = await Site.StartAsync(monitoring: new MonitoringOptions { Log = log, Authorize = static _ => false });
        using HttpResponseMessage refused = await closed.Http.GetAsync("logz", Ended);
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
    }

    private static string Text(JsonElement line, string name) => line.GetProperty(name).GetString()!;
}
