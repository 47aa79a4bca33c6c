using System.Text.RegularExpressions;

namespace Broker.Structure.Tests;

/// <summary>
/// The words that a reader must look up to follow one publish from the publisher's socket to the subscriber's. The
/// files are those of the types that a stack trace passes: the receiving half, the delivery, and the flush at the end
/// of the iteration.
/// </summary>
public sealed partial class PublishWordsTests(ITestOutputHelper output)
{
    private const int MostWords = 12;

    private static readonly string[] Path =
    [
        "EventLoop", "IterationWork", "EpollPoller", "EpollConnection", "SocketConnection", "PullConnection",
        "Connection", "InboundBuffer", "ReceiveGate", "PauseState", "UnconsumedBuffer", "ConnectionHandler",
        "ConnectionLifecycle", "ClientSession", "ClientReceiving", "ClientOperationParser", "PublishOperation",
        "ClientPublishing", "RoutingPublisher", "RouteCache", "RouteHashTable", "Route", "ByteKey", "Subscription",
        "DeliveryTarget", "BufferedTarget", "ConnectionTarget", "DirectBatch", "RoutedMessage", "LoopState",
        "MessageHead", "LoopWriteBuffer", "WriteBufferSet", "FlushScheduler", "OutboundPump", "OutboundQueue",
        "OutboundSender", "WriteDeadline", "Watermarks", "Block", "BlockChain", "LoopBlockPool",
    ];

    // Words of earlier versions that had a private meaning, and their forms. The glossary's words and the field's
    // replaced them.
    private static readonly string[] Replaced =
    [
        "stage", "staged", "stages", "staging", "turn", "turns", "hand", "handed", "hands", "handover", "look", "looks", "looked", "spend",
        "spends", "spent", "hasty", "patience", "patient", "rests", "piece", "pieces", "intake", "held", "tell", "tells", "told", "hear",
        "hears", "heard", "goodbye", "wish", "wishes",
    ];

    [Fact]
    public void The_files_of_one_publish_use_at_most_twelve_words_of_the_glossary()
    {
        string text = string.Join('\n', Sources());

        string[] used = [.. Glossary().Where(word => Uses(text, word))];

        output.WriteLine(string.Join('\n', used));
        Assert.NotEmpty(used);
        Assert.True(used.Length <= MostWords, string.Join('\n', used));
    }

    [Fact]
    public void The_files_of_one_publish_use_no_replaced_word()
    {
        HashSet<string> words = [.. Sources().SelectMany(text => Word().Matches(text)).Select(match => match.Value.ToLowerInvariant())];

        Assert.Contains("flush", words);
        Assert.DoesNotContain(Replaced, words.Contains);
    }

    [Fact]
    public void Each_type_on_the_path_of_a_publish_has_a_file_of_its_name()
        => Assert.DoesNotContain(Path, type => Files(type).Length == 0);

    private static IEnumerable<string> Sources() => Path.SelectMany(Files).Select(File.ReadAllText);

    private static string[] Files(string type) =>
    [
        .. new[] { "Broker.Protocol", "Broker.Transport", "Broker.Server" }
            .Select(project => System.IO.Path.Combine(Repository.Root, "src", project))
            .SelectMany(folder => Directory.EnumerateFiles(folder, $"{type}*.cs", SearchOption.AllDirectories))
            .Where(file => System.IO.Path.GetFileName(file).StartsWith($"{type}.", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal),
    ];

    // The first column of the table, without the remarks in brackets. Several words of one entry are separated by
    // commas.
    private static IEnumerable<string> Glossary() => File.ReadLines(System.IO.Path.Combine(Repository.Root, "docs", "glossary.md"))
        .Where(line => line.StartsWith("| ", StringComparison.Ordinal) && !line.StartsWith("| word ", StringComparison.Ordinal))
        .Select(line => Remark().Replace(line.Split('|')[1], "").Trim());

    private static bool Uses(string text, string entry) => entry.Split(", ").Any(word => Regex.IsMatch(
        text, $"(?i:(?<![a-z])){Regex.Escape(word).Replace("\\ ", " ?", StringComparison.Ordinal)}", RegexOptions.IgnoreCase));

    [GeneratedRegex(@"\(.*?\)")]
    private static partial Regex Remark();

    [GeneratedRegex("[A-Z]?[a-z]+")]
    private static partial Regex Word();
}
