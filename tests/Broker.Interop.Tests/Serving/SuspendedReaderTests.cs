using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests a subscriber whose process is suspended, as a debugger or a closed laptop suspends it. Its kernel still
/// acknowledges segments. The other subscribers receive everything, and the configured policy decides about the
/// suspended one.
/// </summary>
public sealed class SuspendedReaderTests
{
    private const int PayloadLength = 4096;
    private const int AtOnce = 32;
    private const int Rounds = 256;
    private const int Readers = 2;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("nats.c", "max_pending: 1MB\nwrite_deadline: \"10m\"", "Slow Consumer (Pending Bytes)")]
    [InlineData("nats.js", "max_pending: 1MB\nwrite_deadline: \"10m\"", "Slow Consumer (Pending Bytes)")]
    [InlineData("nats.c", "write_deadline: \"2s\"", "Slow Consumer (Write Deadline)")]
    [InlineData("nats.c", "max_pending: 1MB\nslow_consumers: drop_newest", null)]
    [InlineData("nats.c", "max_pending: 1MB\nslow_consumers: drop_oldest", null)]
    public async Task A_suspended_reader_costs_the_others_nothing_and_hears_what_comes_after_it_was_resumed(string client, string policy, string? cutFor)
    {
        await using BrokerProcess broker = await StartAsync(policy);
        await using Subscriber suspended = await Peers.Nats(client).SubscribeAsync(broker.Url, "a");
        using RawConnection publisher = await broker.ConnectRawAsync();
        await publisher.SendAsync("CONNECT {\"verbose\":false}\r\n");
        var readers = new List<RawConnection>();
        try
        {
            for (int i = 0; i < Readers; i++)
            {
                readers.Add(await broker.ConnectRawAsync());
                await readers[i].SendAsync("CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n");
                await readers[i].ReadToAsync("PONG\r\n");
            }

            await suspended.Process.SignalAsync("STOP");
            for (int round = 0; round < Rounds; round++)
            {
                await ExchangeAsync(publisher, readers, round);
            }

            if (cutFor is not null)
            {
                await Wait.UntilAsync(async () => (await ClosedForAsync(broker)).SequenceEqual([cutFor]), $"only the suspended client is closed, with the reason {cutFor}");
            }

            await suspended.Process.SignalAsync("CONT");
            await HearsAgainAsync(suspended.Process, publisher);
            await ExchangeLastAsync(publisher, readers);
            Assert.Equal(cutFor is null ? [] : [cutFor], await ClosedForAsync(broker));
        }
        finally
        {
            readers.ForEach(static r => r.Dispose());
        }
    }

    // Publishes less at once than the kernel's buffers take, so these readers are never slow.
    private static async Task ExchangeAsync(RawConnection publisher, List<RawConnection> readers, int round)
    {
        var says = new StringBuilder();
        var heard = new StringBuilder();
        for (int i = 0; i < AtOnce; i++)
        {
            string payload = string.Create(CultureInfo.InvariantCulture, $"{(round * AtOnce) + i:d8}").PadRight(PayloadLength, '.');
            says.Append(CultureInfo.InvariantCulture, $"PUB a {PayloadLength}\r\n{payload}\r\n");
            heard.Append(CultureInfo.InvariantCulture, $"MSG a 1 {PayloadLength}\r\n{payload}\r\n");
        }

        string last = heard.ToString(heard.Length - PayloadLength - 2, PayloadLength + 2);
        await publisher.SendAsync(says.ToString());
        foreach (RawConnection reader in readers)
        {
            Assert.Equal(heard.ToString(), await HeardAsync(reader, last));
        }
    }

    private static async Task ExchangeLastAsync(RawConnection publisher, List<RawConnection> readers)
    {
        await publisher.SendAsync("PUB a 4\r\nlast\r\n");
        foreach (RawConnection reader in readers)
        {
            Assert.EndsWith("MSG a 1 4\r\nlast\r\n", await HeardAsync(reader, "last\r\n"), StringComparison.Ordinal);
        }
    }

    // Removes the server's PINGs from the text and answers them.
    private static async Task<string> HeardAsync(RawConnection reader, string last)
    {
        string text = await reader.ReadToAsync(last);
        if (!text.StartsWith("PING\r\n", StringComparison.Ordinal) && !text.Contains("\nPING\r\n", StringComparison.Ordinal))
        {
            return text;
        }

        await reader.SendAsync("PONG\r\n");
        return text.Replace("PING\r\n", "", StringComparison.Ordinal);
    }

    // Publishes repeatedly: the client misses what is published while it reconnects or while its queue is full.
    private static async Task HearsAgainAsync(PeerProcess process, RawConnection publisher)
    {
        string after = Hex.Encode("after"u8.ToArray());
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        limit.CancelAfter(Wait.Limit);
        bool isHeard = false;
        while (!isHeard)
        {
            Assert.False(limit.IsCancellationRequested, "the resumed client received no new message");
            await publisher.SendAsync("PUB a 5\r\nafter\r\n");
            while (!isHeard && await process.TryReadLineAsync(TimeSpan.FromMilliseconds(200)) is { } line)
            {
                isHeard = line.TrimEnd().EndsWith(" " + after, StringComparison.Ordinal);
            }
        }
    }

    private static async Task<string[]> ClosedForAsync(BrokerProcess broker)
    {
        using var http = new HttpClient();
        using var page = JsonDocument.Parse(await http.GetStringAsync(new Uri(new Uri(broker.Ports.Monitoring[0]), "/connz?state=closed"), Ct));
        return [.. page.RootElement.GetProperty("connections").EnumerateArray().Select(static c => c.GetProperty("reason").GetString()!)];
    }

    private static async Task<BrokerProcess> StartAsync(string policy)
    {
        string file = Path.Combine(Path.GetTempPath(), $"suspended-{Guid.NewGuid():N}.conf");
        await File.WriteAllTextAsync(file, $"http: -1\n{policy}\n", Ct);
        try
        {
            return await BrokerProcess.StartAsync(-1, "-c", file);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
