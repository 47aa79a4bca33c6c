using System.Globalization;
using System.Reflection;
using Broker.Cli.Serving;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// Tests that the event ids of the command's log lines are documented. Filters and the Windows event log use these ids.
/// </summary>
public sealed class EventTests
{
    private static readonly (int Id, string Level)[] Events =
    [
        .. typeof(ServeHost).Assembly.GetTypes()
            .SelectMany(static t => t.GetMethods(BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            .Select(static m => m.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            // An event without a fixed level gets its level at each call.
            .Select(static a => (a.EventId, a.Level == LogLevel.None ? "warning or error" : a.Level.ToString().ToLowerInvariant())).Order(),
    ];

    [Fact]
    public void Each_is_on_the_page_with_its_level() => Assert.Equal(Documented("docs/command.md", "| event | level |"), Events);

    [Fact]
    public void No_number_is_used_twice_in_one_log()
    {
        int[] ids =
        [
            .. Events.Select(static e => e.Id),
            .. Documented("docs/hosting.md", "| event of `Broker.Server` | level |").Select(static e => e.Id),
            .. Documented("docs/hosting.md", "| event of `Broker.Bridge` | level |").Select(static e => e.Id),
        ];

        Assert.Equal(ids.Distinct().Order(), ids.Order());
        // Event ids in the Windows event log have 16 bits.
        Assert.All(Events, static e => Assert.InRange(e.Id, 1, ushort.MaxValue));
    }

    private static (int Id, string Level)[] Documented(string page, string title) =>
    [
        .. File.ReadAllLines(Path.Combine(Repository.Root, page)).SkipWhile(l => !l.StartsWith(title, StringComparison.Ordinal)).Skip(2)
            .TakeWhile(static l => l.StartsWith('|'))
            .Select(static l => l.Split('|', StringSplitOptions.TrimEntries))
            .SelectMany(static r => r[1].Split(", ").Zip(r[2].Split(", "), static (id, level) => (int.Parse(id, CultureInfo.InvariantCulture), level))),
    ];
}
