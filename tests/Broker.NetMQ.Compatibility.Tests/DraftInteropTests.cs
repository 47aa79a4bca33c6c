using System.Diagnostics;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>Our draft sockets and those of the real NetMQ, in two processes.</summary>
public sealed class DraftInteropTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Our_draft_sockets_meet_those_of_NetMQ()
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(CasePrograms.RealFolder, "netmq-cases-real.dll"), "echo"])
        {
            RedirectStandardOutput = true,
            RedirectStandardInput = true,
        };
        using Process process = Process.Start(start)!;
        try
        {
            string line = (await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken))!;
            string[] addresses = [.. line.Split(' ').Select(port => "tcp://127.0.0.1:" + port)];
            await Task.Run(() => Exchange(addresses), TestContext.Current.CancellationToken);
        }
        finally
        {
            process.Kill();
        }
    }

    // The real NetMQ hangs if several threads receive from one socket.
    [Fact]
    public async Task Several_threads_use_one_socket_in_each_direction()
    {
        const int Each = 1000;
        using var gather = new GatherSocket();
        int port = gather.BindRandomPort("tcp://127.0.0.1");
        using var scatter = new ScatterSocket();
        scatter.Connect($"tcp://127.0.0.1:{port}");
        int count = 0;
        CancellationToken end = TestContext.Current.CancellationToken;
        Task[] tasks =
        [
            .. Enumerable.Range(0, 3).Select(_ => Task.Run(() => Repeat(Each, () => scatter.Send("x")), end)),
            .. Enumerable.Range(0, 3).Select(_ => Task.Run(() => Repeat(Each, () => Interlocked.Add(ref count, gather.ReceiveBytes(end).Length)), end)),
        ];
        await Task.WhenAll(tasks).WaitAsync(Limit, end);

        Assert.Equal(3 * Each, count);
        Assert.False(gather.TryReceiveBytes(out _));
    }

    private static void Repeat(int times, Action action)
    {
        for (int i = 0; i < times; i++)
        {
            action();
        }
    }

    private static void Exchange(string[] addresses)
    {
        using var client = new ClientSocket();
        using var dish = new DishSocket();
        using var scatter = new ScatterSocket();
        using var gather = new GatherSocket();
        using var peer = new PeerSocket();
        dish.Join("g");
        dish.Connect(addresses[1]);
        client.Connect(addresses[0]);

        // The RADIO may learn of the DISH after the first messages.
        string? group = null;
        string? text = null;
        long end = Environment.TickCount64 + (long)Limit.TotalMilliseconds;
        do
        {
            client.Send("question");
            Assert.True(client.TryReceiveString(Limit, out string? answer));
            Assert.Equal("answer to question", answer);
        }
        while (!dish.TryReceiveString(TimeSpan.FromMilliseconds(100), out group, out text) && Environment.TickCount64 < end);

        Assert.Equal(("g", "question"), (group, text));
        scatter.Connect(addresses[2]);
        gather.Connect(addresses[3]);
        scatter.Send("x");
        Assert.True(gather.TryReceiveString(Limit, out text));
        Assert.Equal("gathered x", text);

        byte[] id = peer.ConnectPeer(addresses[4]);
        peer.SendMoreFrame(id).SendFrame("hello");
        NetMQMessage? message = null;
        Assert.True(peer.TryReceiveMultipartMessage(Limit, ref message));
        Assert.Equal(id, message!.First.ToByteArray());
        Assert.Equal("hello", message.Last.ConvertToString());
    }
}
