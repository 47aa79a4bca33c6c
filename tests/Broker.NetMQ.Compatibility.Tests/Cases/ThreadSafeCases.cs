using System.Text;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

/// <summary>CLIENT, SCATTER, GATHER, and what all thread-safe sockets share.</summary>
internal static class ThreadSafeCases
{
    public static void A_client_has_options(Transcript t)
    {
        using var client = new ClientSocket();
        ThreadSafeSocketOptions o = client.Options;
        t.Show("numbers", $"{o.Affinity} {o.SendBuffer} {o.ReceiveBuffer} {o.Backlog} {o.MaxMsgSize} {o.SendHighWatermark} {o.ReceiveHighWatermark} {o.SendLowWatermark} {o.ReceiveLowWatermark}");
        t.Show("times", $"{o.Linger} {o.ReconnectInterval} {o.ReconnectIntervalMax} {o.HeartbeatTtl} {o.HeartbeatInterval} {o.HeartbeatTimeout}");
        t.Show("flags", $"{o.IPv4Only} {o.DelayAttachOnConnect} {o.DisableTimeWait} {o.CurveServer} {o.LastEndpoint is null}");
        t.Show("key", o.CurveServerKey);
        o.Affinity = 3;
        o.SendBuffer = 1000;
        o.ReceiveBuffer = 2000;
        o.Backlog = 7;
        o.MaxMsgSize = 1234;
        o.SendHighWatermark = 10;
        o.ReceiveHighWatermark = 11;
        o.SendLowWatermark = 2;
        o.ReceiveLowWatermark = 3;
        o.Linger = TimeSpan.FromSeconds(3);
        o.ReconnectInterval = TimeSpan.FromMilliseconds(50);
        o.ReconnectIntervalMax = TimeSpan.FromMilliseconds(500);
        o.HeartbeatTtl = TimeSpan.FromSeconds(1);
        o.HeartbeatInterval = TimeSpan.FromSeconds(2);
        o.HeartbeatTimeout = TimeSpan.FromSeconds(3);
        o.IPv4Only = false;
        o.DelayAttachOnConnect = true;
        o.DisableTimeWait = true;
        t.Show("numbers", $"{o.Affinity} {o.SendBuffer} {o.ReceiveBuffer} {o.Backlog} {o.MaxMsgSize} {o.SendHighWatermark} {o.ReceiveHighWatermark} {o.SendLowWatermark} {o.ReceiveLowWatermark}");
        t.Show("times", $"{o.Linger} {o.ReconnectInterval} {o.ReconnectIntervalMax} {o.HeartbeatTtl} {o.HeartbeatInterval} {o.HeartbeatTimeout}");
        t.Show("flags", $"{o.IPv4Only} {o.DelayAttachOnConnect} {o.DisableTimeWait}");
    }

    public static void A_client_and_a_server_can_encrypt(Transcript t)
    {
        var keys = new NetMQCertificate();
        using var server = new ServerSocket();
        server.Options.CurveServer = true;
        server.Options.CurveCertificate = keys;
        int port = server.BindRandomPort("tcp://127.0.0.1");
        using var client = new ClientSocket();
        client.Options.CurveServerKey = keys.PublicKey;
        client.Options.CurveServerCertificate = keys;
        client.Options.CurveCertificate = new NetMQCertificate();
        client.Connect($"tcp://127.0.0.1:{port}");
        client.Send("secret");
        t.Show("text", server.TryReceiveString(Ports.Soon, out _, out string? text));
        t.Show("text", text);
    }

    public static void Hello_and_disconnect_messages_of_a_server(Transcript t)
    {
        using var server = new ServerSocket();
        server.Options.HelloMessage = "H"u8.ToArray();
        server.Options.DisconnectMessage = "D"u8.ToArray();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        using (var client = new ClientSocket())
        {
            client.Connect($"tcp://127.0.0.1:{port}");
            t.Show("hello", client.TryReceiveString(Ports.Soon, out string? text));
            t.Show("text", text);
        }

        t.Show("end", server.TryReceiveString(Ports.Soon, out _, out string? end));
        t.Show("text", end);
    }

    public static void A_scatter_sends_in_each_form(Transcript t)
    {
        using var scatter = new ScatterSocket();
        t.Show("nobody", scatter.TrySend("x"));
        int port = scatter.BindRandomPort("tcp://127.0.0.1");
        using var gather = new GatherSocket();
        gather.Connect($"tcp://127.0.0.1:{port}");
        byte[] data = [1, 2, 3];
        scatter.Send(data);
        scatter.Send(data, 2);
        scatter.Send("text");
        t.Show("sent", scatter.TrySend(Ports.Soon, data, 3));
        t.Show("sent", scatter.TrySend(Ports.Soon, data));
        t.Show("sent", scatter.TrySend(data));
        t.Show("sent", scatter.TrySend(data, 3));
        t.Show("sent", scatter.TrySend(Ports.Soon, "soon"));
        t.Show("sent", scatter.TrySend("now"));
        scatter.SendAsync(data).AsTask().Wait();
        scatter.SendAsync(data, 3).AsTask().Wait();
        scatter.SendAsync("later").AsTask().Wait();
        for (int i = 0; i < 12; i++)
        {
            t.Show("received", gather.TryReceiveBytes(Ports.Soon, out byte[]? bytes));
            t.Show("bytes", bytes);
        }

        t.Try("too long", () => scatter.Send(data, 4));
    }

    public static void A_gather_receives_in_each_form(Transcript t)
    {
        using var gather = new GatherSocket();
        gather.Bind("inproc://gather");
        using var scatter = new ScatterSocket();
        scatter.Connect("inproc://gather");
        for (int i = 0; i < 10; i++)
        {
            scatter.Send($"m{i}");
        }

        t.Show("bytes", gather.ReceiveBytes());
        t.Show("bytes", gather.TryReceiveBytes(out byte[]? bytes));
        t.Show("bytes", bytes);
        t.Show("later", gather.ReceiveBytesAsync().AsTask().Result);
        t.Show("text", gather.ReceiveString());
        t.Show("text", gather.ReceiveString(Encoding.ASCII));
        t.Show("text", gather.TryReceiveString(out string? text));
        t.Show("text", text);
        t.Show("text", gather.TryReceiveString(Encoding.ASCII, out text));
        t.Show("text", text);
        t.Show("text", gather.TryReceiveString(Ports.Soon, out text));
        t.Show("text", text);
        t.Show("text", gather.TryReceiveString(Ports.Soon, Encoding.ASCII, out text));
        t.Show("text", text);
        t.Show("later", gather.ReceiveStringAsync().AsTask().Result);
        t.Show("none", gather.TryReceiveString(out text));
        t.Show("text", text);
        t.Show("none", gather.TryReceiveBytes(out bytes));
        t.Show("bytes", bytes);
    }

    public static void A_wait_for_a_message_can_be_cancelled(Transcript t)
    {
        using var gather = new GatherSocket();
        gather.Bind("inproc://cancel");
        using var scatter = new ScatterSocket();
        scatter.Connect("inproc://cancel");
        var wait = TimeSpan.FromMilliseconds(50);
        using var soon = new CancellationTokenSource(wait);
        t.Try("blocking", () => gather.ReceiveBytes(soon.Token));
        using var second = new CancellationTokenSource(wait);
        t.Show("trying", gather.TryReceiveString(Ports.Soon, out _, second.Token));
        using var third = new CancellationTokenSource(wait);
        t.Show("later", Failure(gather.ReceiveStringAsync(third.Token).AsTask()));
        scatter.Send("a");
        scatter.Send("b");
        t.Show("bytes", Take(gather.ReceiveBytesAsyncEnumerable(), 1).Result.Count);
        t.Show("texts", Take(gather.ReceiveStringAsyncEnumerable(), 1).Result);
        ValueTask<string> pending = gather.ReceiveStringAsync();
        scatter.Send("late");
        t.Show("pending", pending.AsTask().Result);
    }

    public static void Frames_pass_unchanged(Transcript t)
    {
        using var own = new OwnClient();
        using var server = new ServerSocket();
        server.Bind("inproc://frames");
        own.Connect("inproc://frames");
        Msg msg = default;
        t.Try("not initialised", () => own.TrySend(ref msg, TimeSpan.Zero));
        t.Try("not initialised", () => own.TryReceive(ref msg, TimeSpan.Zero));
        msg.InitGC([1, 2], 2);
        t.Show("sent", own.TrySend(ref msg, Ports.Soon));
        t.Show("empty", $"{msg.IsInitialised} {msg.Size} {msg.MsgType}");
        IRoutingIdSocket any = server;
        t.Show("received", any.TryReceive(ref msg, Ports.Soon));
        t.Show("frame", $"{msg.RoutingId != 0} {msg.Size} {msg.HasMore}");
        server.Send(ref msg);
        own.Receive(ref msg);
        t.Show("back", msg.ToArray());
        t.Show("none", own.TryReceive(ref msg, TimeSpan.Zero));
        t.Show("empty", $"{msg.IsInitialised} {msg.Size}");
    }

    public static void Endpoints_of_a_thread_safe_socket(Transcript t)
    {
        using var server = new ServerSocket();
        server.Bind("tcp://127.0.0.1:0");
        string address = server.Options.LastEndpoint!;
        using var client = new ClientSocket();
        client.Connect(address);
        t.Show("last", client.Options.LastEndpoint == address);
        t.Try("disconnect", () => client.Disconnect(address));
        t.Try("again", () => client.Disconnect(address));
        t.Try("unbind", () => server.Unbind(address));
        t.Try("again", () => server.Unbind(address));
        t.Try("unknown inproc", () => client.Connect("inproc://nobody-is-here"));
        t.Show("open", client.IsDisposed);
        client.Close();
        t.Show("closed", client.IsDisposed);
        t.Try("twice", client.Dispose);
        t.Try("connect", () => client.Connect(address));
        t.Try("options", () => client.Options.Linger);
        t.Show("receive", client.TryReceiveString(out _));
        Msg msg = default;
        msg.InitEmpty();
        using var gather = new GatherSocket();
        t.Try("gather", () => gather.TrySend(ref msg, TimeSpan.Zero));
        using var scatter = new ScatterSocket();
        t.Try("scatter", () => scatter.TryReceive(ref msg, TimeSpan.Zero));
    }

    private static async Task<List<T>> Take<T>(IAsyncEnumerable<T> all, int count)
    {
        List<T> taken = [];
        await foreach (T each in all)
        {
            taken.Add(each);
            if (taken.Count == count)
            {
                break;
            }
        }

        return taken;
    }

    private static string Failure(Task task)
    {
        try
        {
            task.GetAwaiter().GetResult();
            return "none";
        }
        catch (OperationCanceledException)
        {
            return "cancelled";
        }
    }

    private sealed class OwnClient() : ThreadSafeSocket(ZmqSocketType.Client), IThreadSafeInSocket
    {
        protected override void Dispose(bool disposing) => base.Dispose(disposing);
    }
}
