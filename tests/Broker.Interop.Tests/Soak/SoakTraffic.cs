using System.Globalization;
using System.Text.Json;
using Broker.Interop.Tests.Harness;
using Broker.Interop.Tests.Serving;

namespace Broker.Interop.Tests.Soak;

/// <summary>
/// Rounds of traffic. In each round, clients connect, do one thing with an exactly known result, and disconnect. Rounds
/// with other subjects may run at the same time.
/// </summary>
internal sealed class SoakTraffic(BrokerProcess broker, string file, string serverKeys, HttpClient pages)
{
    // More pending bytes than a reading client ever has in a round. A client that has stopped reading soon exceeds
    // them.
    private const int LeastPending = 4 * 1024 * 1024;
    private const int Large = 1024 * 1024;
    private const int AtOnce = 16;

    private static readonly string[] Leftovers = ["", "PUB soak 100000\r\nnot all of it", "SUB soa", "PING\r\n", "SUB soak.left 1\r\nPUB soak.left 2\r\nhi\r\n"];
    private static readonly string[] Nonsense = ["GET / HTTP/1.1\r\n\r\n", "\r\n", "CONNECT {", "PUB a -1\r\n", "\0\u0001\u00FF"];

    private long _opened;

    /// <summary>The number of connections of NATS clients.</summary>
    internal long Opened => Interlocked.Read(ref _opened);

    /// <summary>The number of clients that stopped reading and were closed.</summary>
    internal long Cut { get; private set; }

    /// <summary>Returns the configuration file of the broker. A reload can apply all its differences.</summary>
    internal static string Configuration(string serverKeys, int more) => string.Create(CultureInfo.InvariantCulture, $$"""
        http: -1
        tls { {{serverKeys}} }
        allow_non_tls: true
        websocket { listen: "127.0.0.1:-1", no_tls: true }
        zeromq { publishers: "tcp://127.0.0.1:*", subscribers: "tcp://127.0.0.1:*" }
        max_pending: {{LeastPending + more}}
        # Only pending bytes close a slow client: on a busy machine, a client that reads may exceed a short deadline.
        write_deadline: "1h"

        """);

    /// <summary>
    /// Adds and removes subscriptions with and without wildcards. Each message goes to the current ones.
    /// </summary>
    internal async Task SubscriptionsAsync(Random random, string subject)
    {
        var readers = new List<SoakClient>();
        try
        {
            SoakClient publisher = await OpenAsync(random);
            readers.Add(publisher);
            var subscribed = new List<Dictionary<int, string>>();
            for (int left = random.Next(2, 7); left > 0; left--)
            {
                SoakClient reader = await OpenAsync(random);
                readers.Add(reader);
                subscribed.Add(Enumerable.Range(1, random.Next(1, 30)).ToDictionary(sid => sid, _ => Filter(random)));
                await reader.SendAsync(string.Concat(subscribed[^1].Select(s => $"SUB {subject}.{s.Value} {s.Key}\r\n")));
                await reader.FenceAsync();
            }

            while (subscribed.Exists(s => s.Count > 0))
            {
                await PublishToAllAsync(random, subject, publisher, readers[1..], subscribed);
                for (int i = 0; i < subscribed.Count; i++)
                {
                    int[] leaving = [.. subscribed[i].Keys.Where(_ => random.Next(2) == 0)];
                    await readers[i + 1].SendAsync(string.Concat(leaving.Select(sid => $"UNSUB {sid}\r\n")));
                    await readers[i + 1].FenceAsync();
                    Array.ForEach(leaving, sid => subscribed[i].Remove(sid));
                }
            }
        }
        finally
        {
            readers.ForEach(r => Leave(random, r));
        }
    }

    /// <summary>
    /// Each request gets one reply from one member of a queue group. The server replies if there is no subscriber.
    /// </summary>
    internal async Task RequestsAsync(Random random, string subject)
    {
        using SoakClient asking = await OpenAsync(random);
        await asking.SendAsync($"SUB _INBOX.{subject}.* 1\r\n");
        await asking.FenceAsync();
        var answering = new List<SoakClient>();
        var ends = new List<Task<int>>();
        for (int left = random.Next(1, 4); left > 0; left--)
        {
            SoakClient one = await OpenAsync(random);
            answering.Add(one);
            await one.SendAsync($"SUB {subject} group 1\r\nSUB {subject}.end 2\r\n");
            await one.FenceAsync();
        }

        ends.AddRange(answering.Select(AnswerAsync));
        int asked = random.Next(1, 100);
        int at = 0;
        while (at < asked)
        {
            int some = Math.Min(asked - at, random.Next(1, 10));
            var wanted = new HashSet<string>(StringComparer.Ordinal);
            for (int i = 0; i < some; i++, at++)
            {
                string number = at.ToString(CultureInfo.InvariantCulture);
                wanted.Add($"_INBOX.{subject}.{number} {number}");
                await asking.PublishAsync(subject, number, $"_INBOX.{subject}.{number}");
            }

            for (int i = 0; i < some; i++)
            {
                SoakMessage answer = await asking.ReadAsync();
                Assert.True(wanted.Remove($"{answer.Subject} {answer.Text}"), $"nobody asked for {answer.Subject} {answer.Text}");
            }
        }

        await asking.PublishAsync($"{subject}.end", "");
        Assert.Equal(asked, (await Task.WhenAll(ends)).Sum());
        answering.ForEach(one => Leave(random, one));
        await asking.PublishAsync($"{subject}.nobody", "", $"_INBOX.{subject}.none");
        Assert.StartsWith("NATS/1.0 503", (await asking.ReadAsync()).Headers, StringComparison.Ordinal);
    }

    /// <summary>Each message goes to one member of a queue group.</summary>
    internal async Task QueueGroupAsync(Random random, string subject)
    {
        int count = random.Next(1, 300);
        var members = new List<SoakClient>();
        try
        {
            using SoakClient publisher = await OpenAsync(random);
            for (int left = random.Next(1, 6); left > 0; left--)
            {
                SoakClient member = await OpenAsync(random);
                members.Add(member);
                await member.SendAsync($"SUB {subject} group 1\r\nSUB {subject}.end 2\r\n");
                await member.FenceAsync();
            }

            Task<List<int>>[] reading = members.Select(static m => ReadToEndAsync(m)).ToArray();
            for (int i = 0; i < count; i++)
            {
                await publisher.PublishAsync(subject, i.ToString(CultureInfo.InvariantCulture));
            }

            await publisher.PublishAsync($"{subject}.end", "");
            IEnumerable<int> heard = (await Task.WhenAll(reading)).SelectMany(static h => h);
            Assert.Equal(Enumerable.Range(0, count), heard.Order());
        }
        finally
        {
            members.ForEach(m => Leave(random, m));
        }
    }

    /// <summary>Sends messages up to the maximum size and compares every byte.</summary>
    internal async Task LargeMessagesAsync(Random random, string subject)
    {
        using SoakClient publisher = await OpenAsync(random);
        using SoakClient reader = await OpenAsync(random);
        await reader.SendAsync($"SUB {subject} 1\r\n");
        await reader.FenceAsync();
        for (int left = random.Next(1, 4); left > 0; left--)
        {
            byte[] payload = new byte[random.Next(Large / 8, Large + 1)];
            random.NextBytes(payload);
            Task sending = publisher.PublishAsync(subject, payload);
            SoakMessage message = await reader.ReadAsync();
            Assert.True(payload.AsSpan().SequenceEqual(message.Payload), "a large message has arrived with other bytes than were sent");
            await sending;
        }
    }

    /// <summary>Many clients connect and disconnect in the middle of an operation.</summary>
    internal async Task CrowdAsync(Random random)
    {
        var crowd = new List<SoakClient>();
        try
        {
            for (int left = random.Next(20, 120); left > 0; left--)
            {
                crowd.Add(await OpenAsync(random));
            }

            foreach (SoakClient one in crowd)
            {
                await one.FenceAsync();
                await one.SendAsync(Leftovers[random.Next(Leftovers.Length)]);
            }
        }
        finally
        {
            crowd.ForEach(one => Leave(random, one));
        }

        // The server answers nonsense with an error and closes. A ZeroMQ endpoint closes without an answer.
        using (RawConnection stranger = await RawConnection.OpenAsync(broker.Port))
        {
            Interlocked.Increment(ref _opened);
            await stranger.ReadToAsync("\r\n");
            await stranger.SendAsync(Nonsense[random.Next(Nonsense.Length)]);
        }

        using RawConnection other = await BrokerProcess.ConnectRawAsync(random.Next(2) == 0 ? broker.Publishers : broker.Subscribers);
        await other.SendAsync(Nonsense[random.Next(Nonsense.Length)]);
    }

    /// <summary>
    /// A client that has stopped reading is closed when too many bytes are pending, and no other client is closed.
    /// </summary>
    internal async Task StoppedReaderAsync(Random random)
    {
        long before = await SlowConsumersAsync();
        using StoppedReader stopped = random.Next(3) switch
        {
            0 => await StoppedReader.OverTcpAsync(broker.Port),
            1 => await StoppedReader.OverTlsAsync(broker.Port),
            _ => await StoppedReader.OverWebSocketAsync(new Uri(broker.Ports.WebSocket[0]).Port),
        };
        Interlocked.Increment(ref _opened);
        using SoakClient publisher = await OpenAsync(random);
        byte[] payload = new byte[64 * 1024];
        await Wait.UntilAsync(async () =>
        {
            for (int i = 0; i < AtOnce; i++)
            {
                await publisher.PublishAsync("a.b", payload);
            }

            await publisher.FenceAsync();
            return await SlowConsumersAsync() > before;
        }, "the server has closed the client that reads nothing");
        Cut++;
    }

    /// <summary>A SUB that has stopped reading loses messages, which the bridge counts. Then it disconnects.</summary>
    internal async Task StoppedPeerAsync(Random random)
    {
        using StoppedReader stopped = await StoppedReader.OverZeroMqAsync(new Uri(broker.Subscribers).Port);
        using SoakClient publisher = await OpenAsync(random);
        long before = await DroppedAsync();
        byte[] payload = new byte[64 * 1024];
        await Wait.UntilAsync(async () =>
        {
            for (int i = 0; i < AtOnce; i++)
            {
                await publisher.PublishAsync("zmq.stopped", payload);
            }

            await publisher.FenceAsync();
            // The bridge is a client too. The test waits for it, so that the server does not close it as slow.
            await Wait.UntilAsync(async () => await MostPendingAsync() < Large, "the bridge has read its pending messages");
            return await DroppedAsync() > before;
        }, "the bridge has dropped a message for the SUB that reads nothing");
    }

    /// <summary>A reload of the file keeps all connections.</summary>
    internal async Task ReloadAsync(Random random)
    {
        using SoakClient client = await OpenAsync(random);
        await client.FenceAsync();
        int more = random.Next(1, LeastPending);
        await File.WriteAllTextAsync(file, Configuration(serverKeys, more), TestContext.Current.CancellationToken);
        await broker.Process.SignalAsync("HUP");
        await Wait.UntilAsync(async () =>
        {
            using JsonDocument page = await SoakFacts.PageAsync(pages, "/varz");
            return page.RootElement.GetProperty("max_pending").GetInt64() == LeastPending + more;
        }, "the server has reloaded the file");
        await client.FenceAsync();
    }

    private static string Filter(Random random) => random.Next(4) switch
    {
        0 => ">",
        1 => "*",
        _ => random.Next(4).ToString(CultureInfo.InvariantCulture),
    };

    private static bool Matches(string filter, int token) => filter is ">" or "*" || filter == token.ToString(CultureInfo.InvariantCulture);

    private static async Task PublishToAllAsync(
        Random random, string subject, SoakClient publisher, List<SoakClient> readers, List<Dictionary<int, string>> subscribed)
    {
        int[] tokens = [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => random.Next(4))];
        List<List<string>> wanted = readers.ConvertAll(_ => new List<string>());
        for (int number = 0; number < tokens.Length; number++)
        {
            string payload = string.Create(CultureInfo.InvariantCulture, $"{number}").PadRight(random.Next(1, random.Next(8) == 0 ? 4_000 : 100), '.');
            await publisher.PublishAsync(string.Create(CultureInfo.InvariantCulture, $"{subject}.{tokens[number]}"), payload);
            for (int i = 0; i < readers.Count; i++)
            {
                wanted[i].AddRange(subscribed[i].Where(s => Matches(s.Value, tokens[number])).Select(s => $"{s.Key} {payload}"));
            }
        }

        for (int i = 0; i < readers.Count; i++)
        {
            var heard = new List<string>();
            while (heard.Count < wanted[i].Count)
            {
                SoakMessage message = await readers[i].ReadAsync();
                heard.Add($"{message.Sid} {message.Text}");
            }

            // The server may deliver to the subscriptions of one client in any order.
            wanted[i].Sort(StringComparer.Ordinal);
            heard.Sort(StringComparer.Ordinal);
            Assert.Equal(wanted[i], heard);
        }
    }

    private static async Task<int> AnswerAsync(SoakClient client)
    {
        for (int answered = 0; ; answered++)
        {
            SoakMessage request = await client.ReadAsync();
            if (request.Sid == "2")
            {
                return answered;
            }

            await client.PublishAsync(request.Reply, request.Payload);
        }
    }

    private static async Task<List<int>> ReadToEndAsync(SoakClient member)
    {
        var heard = new List<int>();
        for (SoakMessage message = await member.ReadAsync(); message.Sid == "1"; message = await member.ReadAsync())
        {
            heard.Add(int.Parse(message.Text, CultureInfo.InvariantCulture));
        }

        Assert.True(heard.Zip(heard.Skip(1)).All(static pair => pair.First < pair.Second), "messages of one publisher have arrived out of order");
        return heard;
    }

    private static void Leave(Random random, SoakClient client)
    {
        if (random.Next(2) == 0)
        {
            client.Reset();
        }
        else
        {
            client.Dispose();
        }
    }

    private async Task<SoakClient> OpenAsync(Random random)
    {
        SoakClient client = random.Next(8) switch
        {
            0 or 1 => await SoakClient.OpenOverWebSocketAsync(broker),
            2 => await SoakClient.OpenOverTlsAsync(broker),
            _ => await SoakClient.OpenAsync(broker),
        };
        Interlocked.Increment(ref _opened);
        return client;
    }

    private async Task<long> SlowConsumersAsync()
    {
        using JsonDocument page = await SoakFacts.PageAsync(pages, "/varz");
        return page.RootElement.GetProperty("slow_consumers").GetInt64();
    }

    private async Task<long> MostPendingAsync()
    {
        using JsonDocument page = await SoakFacts.PageAsync(pages, "/connz?limit=10000");
        return page.RootElement.GetProperty("connections").EnumerateArray().Max(static c => c.GetProperty("pending_bytes").GetInt64());
    }

    private async Task<long> DroppedAsync()
    {
        using JsonDocument page = await SoakFacts.PageAsync(pages, "/bridgez");
        return page.RootElement.GetProperty("routes")[0].GetProperty("dropped").GetInt64();
    }
}
