using System.Text;
using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>The result of parsing does not depend on how a stream is split.</summary>
public sealed class SplitTests : IDisposable
{
    // Streams up to this length are split at all pairs of positions.
    private const int Short = 160;

    private readonly Feed _feed = new();

    private delegate Outcome Parse(ReadOnlySpan<byte> stream, ParserLimits limits, params ReadOnlySpan<int> cuts);

    public void Dispose() => _feed.Dispose();

    [Fact]
    public void Client_streams_give_the_same_operations_however_they_are_split()
        => CutEverywhere(_feed.Client, [.. Streams.Client, .. Streams.BadClient], Streams.Limits);

    [Fact]
    public void Client_streams_give_the_same_operations_with_a_limit_below_the_scan_width()
        => CutEverywhere(_feed.Client, [.. Streams.Client, .. Streams.BadClient], Streams.ShortLimits);

    [Fact]
    public void Server_streams_give_the_same_operations_however_they_are_split()
        => CutEverywhere(_feed.Server, [.. Streams.Server, .. Streams.BadServer], Streams.Limits);

    [Fact]
    public void Server_streams_give_the_same_operations_with_a_limit_below_the_scan_width()
        => CutEverywhere(_feed.Server, [.. Streams.Server, .. Streams.BadServer], Streams.ShortLimits);

    [Fact]
    public void Valid_streams_are_read_completely_and_invalid_streams_fail()
    {
        foreach (string stream in Streams.Client)
        {
            Assert.True(_feed.Client(Text.Bytes(stream), Streams.Limits).Error == ProtocolError.None, stream);
        }

        foreach (string stream in Streams.Server)
        {
            Assert.True(_feed.Server(Text.Bytes(stream), Streams.Limits).Error == ProtocolError.None, stream);
        }

        foreach (string stream in Streams.BadClient)
        {
            Assert.True(_feed.Client(Text.Bytes(stream), Streams.Limits).Error != ProtocolError.None, stream);
        }

        foreach (string stream in Streams.BadServer)
        {
            Assert.True(_feed.Server(Text.Bytes(stream), Streams.Limits).Error != ProtocolError.None, stream);
        }
    }

    [Fact]
    public void Bytes_after_a_stream_do_not_change_its_operations()
    {
        // The number of bytes after a stream decides whether its last lines are scanned by the wide or by the slow
        // method.
        string more = "PING\r\n" + Text.Letters(100);
        foreach (string stream in Streams.Client)
        {
            Outcome alone = _feed.Client(Text.Bytes(stream), Streams.Limits);
            Outcome followed = _feed.Client(Text.Bytes(stream + more), Streams.Limits);
            Assert.Equal(alone.Events, followed.Events.Take(alone.Events.Count));
        }
    }

    [Fact]
    public void A_repeated_line_is_recognized()
    {
        byte[] publishes = Text.Bytes(string.Concat(Enumerable.Repeat("PUB foo 2\r\nab\r\n", 10)));
        Assert.InRange(_feed.Client(publishes, Streams.Limits).Repeats, 6, 9);
        byte[] messages = Text.Bytes(string.Concat(Enumerable.Repeat("MSG foo 1 2\r\nab\r\n", 10)));
        Assert.InRange(_feed.Server(messages, Streams.Limits).Repeats, 6, 9);
    }

    // The parser remembers lines of up to twice the width of the comparison. A line that differs in one byte is another
    // one.
    [Fact]
    public void A_repeated_line_of_up_to_64_bytes_is_recognized_and_distinguished_from_lines_that_differ_in_one_byte()
    {
        for (int length = 12; length <= 70; length++)
        {
            string subject = Text.Letters(length - 8);
            string one = $"PUB {subject} 1\r\na\r\n";
            string five = string.Concat(Enumerable.Repeat(one, 5));
            for (int at = 0; at < subject.Length; at++)
            {
                char[] letters = subject.ToCharArray();
                letters[at] = '-';
                byte[] stream = Text.Bytes($"{five}PUB {new string(letters)} 1\r\na\r\n{five}PING\r\n{five}{Text.Letters(70)}");
                Outcome outcome = _feed.Client(stream, Streams.Limits);
                string[] subjects = [.. Enumerable.Repeat(subject, 5), new string(letters), .. Enumerable.Repeat(subject, 10)];
                Assert.Equal(subjects, outcome.Events.Where(e => e.StartsWith("PUB", StringComparison.Ordinal)).Select(e => e[5..e.IndexOf(']', StringComparison.Ordinal)]));
                Assert.True(length > 64 ? outcome.Repeats == 0 : outcome.Repeats >= 4, $"{length} {outcome.Repeats}");
            }
        }
    }

    // The parser checks little of a similar line. The lines here have subjects of one length, sizes with the same
    // digits, and small differences in form.
    [Theory]
    [InlineData(1, 1)]
    [InlineData(3, 2)]
    [InlineData(40, 4)]
    [InlineData(40, 400)]
    [InlineData(3, 100_000)]
    public void Similar_lines_are_distinguished(int subjects, int sizes)
    {
        var random = new Random(Seed.Next());
        for (int round = 0; round < 40; round++)
        {
            var stream = new StringBuilder();
            var expected = new List<string>();
            while (stream.Length < 100_000)
            {
                string subject = "s" + random.Next(subjects);
                string reply = random.Next(4) switch { 0 => "r" + random.Next(subjects), 1 => "r", _ => "" };
                int size = random.Next(sizes) % 20_000;
                (string line, bool asItIs) = random.Next(30) switch
                {
                    0 => ($"PUB  {subject} {size}\r\n", false),
                    1 => ($"PUB\t{subject} {size}\r\n", true),
                    2 => ($"PUB {subject}\t{size}\r\n", false),
                    3 => ($"PUB {subject} {size} \r\n", false),
                    4 => ($"PUB {subject} 0{size}\r\n", false),
                    5 => ($"PUB {subject} {size}\n", false),
                    6 => ($"pub {subject} {size}\r\n", true),
                    7 => ($"PUB {subject} r\t{size}\r\n", false),
                    8 => ($"PUB {subject}\tr {size}\r\n", false),
                    _ => ("", true),
                };
                if (line.Length == 0)
                {
                    line = $"PUB {subject} {(reply.Length == 0 ? "" : reply + " ")}{size}\r\n";
                }
                else
                {
                    reply = line.Contains('r', StringComparison.Ordinal) && line.TrimEnd().Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries).Length == 4 ? "r" : "";
                }

                string payload = Text.Letters(size);
                stream.Append(line).Append(payload).Append("\r\n");
                expected.Add($"PUB [{subject}]{(reply.Length == 0 ? "" : " " + reply)} {size}\r\n{payload}\r\n as it is: {asItIs}");
            }

            byte[] bytes = Text.Bytes(stream.ToString());
            var limits = new ParserLimits(100, 20_000);
            Assert.Equal(expected, _feed.Client(bytes, limits).Events);
        }
    }

    private static void CutEverywhere(Parse parse, string[] streams, ParserLimits limits)
    {
        foreach (string text in streams)
        {
            byte[] stream = Text.Bytes(text);
            string whole = parse(stream, limits).Text;
            for (int cut = 0; cut <= stream.Length; cut++)
            {
                Same(whole, parse(stream, limits, cut), text);
            }

            Same(whole, parse(stream, limits, [.. Enumerable.Range(0, stream.Length)]), text);
            for (int first = 0; first <= stream.Length && stream.Length <= Short; first++)
            {
                for (int second = first; second <= stream.Length; second++)
                {
                    Same(whole, parse(stream, limits, first, second), text);
                }
            }
        }
    }

    private static void Same(string whole, Outcome outcome, string stream)
    {
        if (whole != outcome.Text)
        {
            Assert.Fail($"{stream}\nwhole: {whole}\ncut: {outcome.Text}");
        }
    }
}
