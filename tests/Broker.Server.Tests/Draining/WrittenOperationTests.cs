using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Draining;

/// <summary>
/// Counting and dropping of written messages works for all sids and subjects that clients may choose.
/// </summary>
public sealed class WrittenOperationTests
{
    private const int Count = 20_000;

    public static TheoryData<string> Sids
        => new("1", "abc", "-1", "+", "99999999999999999999999", "0x1F", "MSG", "\u00e9\u00ff", "1.5", new string('s', 200), "{id}", "\u0001");

    private static byte[] Publishes(string subject, int size)
    {
        var text = new StringBuilder();
        for (int i = 0; i < Count; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"PUB {subject} {size}\r\n{i.ToString("D8", CultureInfo.InvariantCulture).PadRight(size, 'x')}\r\n");
        }

        return Encoding.Latin1.GetBytes(text.ToString());
    }

    [Theory]
    [MemberData(nameof(Sids))]
    public async Task A_drain_counts_what_was_not_taken_whatever_the_sid_is(string sid)
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send($"SUB d {sid}\r\n");
        reader.Sync();
        reader.AnswerFirstPing();
        using var writer = RawClient.Open(server);
        const int Size = 500;
        writer.Send(Publishes("d", Size));
        writer.Sync();
        DrainReport report = await server.DrainAsync(TimeSpan.Zero, TestContext.Current.CancellationToken);
        long each = $"MSG d {sid} 500\r\n".Length + Size + 2;
        long got = reader.CountToEnd();
        Assert.Equal((long)Count * each, report.Bytes + got);
        Assert.Equal(Count - (got / each), report.Messages);
        Assert.False(report.IsComplete);
    }

    [Theory]
    [MemberData(nameof(Sids))]
    public async Task The_oldest_messages_are_dropped_for_every_form_of_sid(string sid)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SlowConsumers = SlowConsumerPolicy.DropOldest;
            o.MaxPending = 1024 * 1024;
        });
        using var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send($"SUB d {sid}\r\n");
        reader.Sync();
        using var writer = RawClient.Open(server);
        writer.Send(Publishes("d", 1024));
        writer.Sync();
        Assert.InRange(server.Snapshot().Dropped, 1, Count - 1);
        var got = new List<int>();
        while (got.Count < Count - server.Snapshot().Dropped)
        {
            got.Add(int.Parse(Encoding.Latin1.GetString(reader.ReadMessage().Payload.AsSpan(0, 8)), CultureInfo.InvariantCulture));
        }

        Assert.Equal(got.Order(), got);
        Assert.Equal(Count - 1, got[^1]);
    }

    [Fact]
    public void Written_bytes_are_divided_into_the_written_operations()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++)
        {
            var written = new List<byte>();
            var ends = new List<(int End, bool IsMessage)>();
            for (int left = random.Next(12); left > 0; left--)
            {
                (byte[] operation, bool isMessage) = Write(random);
                written.AddRange(operation);
                ends.Add((written.Count, isMessage));
            }

            byte[] queue = [.. written];
            Assert.True(ends.SequenceEqual(Divide(queue)), $"seed {seed}, round {round}");
        }
    }

    [Fact]
    public void An_incomplete_message_does_not_count()
    {
        foreach (string queue in new[] { "MSG a 1 5\r\nabc\r\n", "MSG a 1", "MSG a 1 x\r\n", "MSG a 1 \r\n", "HMSG a 1 99999999999\r\n", "\n", "MSG\n" })
        {
            byte[] bytes = Encoding.Latin1.GetBytes("PONG\r\nMSG a 1 2\r\nhi\r\n" + queue);
            Assert.Equal([(6, false), (21, true)], Divide(bytes).Take(2));
            // A line that only looks like a message is a line. The rest of an incomplete message is not counted.
            int length = OperationFraming.Framing.Measure(bytes.AsSpan(21), out bool isMessage);
            Assert.Equal(queue is "\n" or "MSG\n" ? queue.Length : 0, length);
            Assert.False(isMessage && length != 0);
        }
    }

    private static List<(int End, bool IsMessage)> Divide(ReadOnlySpan<byte> queue)
    {
        var ends = new List<(int End, bool IsMessage)>();
        int at = 0;
        while (at < queue.Length && OperationFraming.Framing.Measure(queue[at..], out bool isMessage) is var length and not 0)
        {
            at += length;
            ends.Add((at, isMessage));
        }

        return ends;
    }

    private static (byte[] Operation, bool IsMessage) Write(Random random)
    {
        switch (random.Next(8))
        {
            case 0:
                return ("PONG\r\n"u8.ToArray(), false);
            case 1:
                return ("+OK\r\n"u8.ToArray(), false);
            case 2:
                return ("-ERR 'Permissions Violation for Publish to \"MSG a 1 5\"'\r\n"u8.ToArray(), false);
            case 3:
                return ("INFO {\"server_id\":\"MSG x 1 3\"} \r\n"u8.ToArray(), false);
        }

        bool headers = random.Next(2) == 0;
        byte[] payload = Payload(random);
        var line = new List<byte>(headers ? "HMSG "u8.ToArray() : "MSG "u8.ToArray());
        line.AddRange([.. Word(random), (byte)' ', .. Word(random), (byte)' ']);
        if (random.Next(2) == 0)
        {
            line.AddRange([.. Word(random), (byte)' ']);
        }

        if (headers)
        {
            line.AddRange(Digits(random.Next(payload.Length + 1)));
            line.Add((byte)' ');
        }

        line.AddRange([.. Digits(payload.Length), .. "\r\n"u8, .. payload, .. "\r\n"u8]);
        return ([.. line], true);
    }

    private static byte[] Digits(int number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));

    // All characters that a token of a line may contain.
    private static byte[] Word(Random random)
    {
        byte[] word = new byte[1 + random.Next(random.Next(10) == 0 ? 300 : 12)];
        for (int i = 0; i < word.Length; i++)
        {
            do
            {
                word[i] = (byte)random.Next(256);
            }
            while (word[i] is (byte)' ' or (byte)'\t' or (byte)'\n' or (byte)'\r');
        }

        return word;
    }

    // Includes payloads that look like protocol lines.
    private static byte[] Payload(Random random)
    {
        byte[] payload = new byte[random.Next(random.Next(10) == 0 ? 5000 : 40)];
        random.NextBytes(payload);
        return random.Next(3) == 0 ? [.. "MSG a 1 3\r\n"u8, .. payload, .. "\r\nPONG\r\n"u8] : payload;
    }
}
