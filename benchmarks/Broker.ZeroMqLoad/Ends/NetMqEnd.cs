using System.Diagnostics;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>One end of a connection with sockets of NetMQ.</summary>
internal sealed class NetMqEnd(Load load, NetMqForm form)
{
    private static readonly TimeSpan Forever = Timeout.InfiniteTimeSpan;

    private Msg _received;

    public void Run()
    {
        _received.InitEmpty();
        switch (load.Role)
        {
            case Role.Push:
                Push();
                break;
            case Role.Pull:
                Pull();
                break;
            case Role.Req:
                Request();
                break;
            case Role.Rep:
                Reply();
                break;
            case Role.Pub:
                Publish();
                break;
            case Role.Sub:
                Subscribe();
                break;
            default:
                throw new InvalidOperationException($"NetMQ has no end with the role {load.Role}.");
        }

        _received.Close();
        NetMQConfig.Cleanup(block: false);
    }

    // NetMQ closes its connections by a reset, and what its side of the kernel still holds is lost. So an end whose
    // last messages matter stays until the measuring process has closed its input.
    private static void Stay() => Console.In.ReadToEnd();

    internal void Push()
    {
        using var push = new PushSocket();
        Join(push);
        byte[] body = new byte[load.Size];
        int[] sizes = load.Sizes();
        for (int i = 0; i < load.WarmUp; i++)
        {
            Send(push, body, sizes[i & (sizes.Length - 1)]);
        }

        var meter = Meter.Start();
        for (int i = 0; i < load.Count; i++)
        {
            Send(push, body, sizes[i & (sizes.Length - 1)]);
        }

        meter.Report("push", load.Count);
        Stay();
    }

    private void Pull()
    {
        using var pull = new PullSocket();
        Join(pull);
        for (int i = 0; i < load.WarmUp; i++)
        {
            Receive(pull);
        }

        var meter = Meter.Start();
        for (int i = 0; i < load.Count; i++)
        {
            Receive(pull);
        }

        meter.Report("pull", load.Count);
    }

    private void Request()
    {
        using var req = new RequestSocket();
        Join(req);
        byte[] body = new byte[load.Size];
        long[] times = new long[load.Count];
        for (int i = 0; i < load.WarmUp; i++)
        {
            Send(req, body, body.Length);
            Receive(req);
        }

        var meter = Meter.Start();
        for (int i = 0; i < load.Count; i++)
        {
            long start = Stopwatch.GetTimestamp();
            Send(req, body, body.Length);
            Receive(req);
            times[i] = Stopwatch.GetTimestamp() - start;
        }

        meter.Report("req", load.Count);
        Load.ReportTimes(times);
    }

    private void Reply()
    {
        using var rep = new ResponseSocket();
        Join(rep);
        byte[] body = new byte[load.Size];
        for (int i = 0; i < load.WarmUp + load.Count; i++)
        {
            Send(rep, body, Receive(rep));
        }

        Stay();
    }

    // The count is in milliseconds, because a publisher that drops messages does not know how many arrived.
    private void Publish()
    {
        // In NetMQ a PUB is an XPUB that does not show subscriptions. On a busy machine subscribers connect late.
        using var pub = new XPublisherSocket();
        pub.Options.XPubVerbose = true;
        Join(pub);
        byte[] body = new byte[load.Size];
        for (int subscriptions = 0; subscriptions < load.Peers; subscriptions++)
        {
            Receive(pub);
        }

        int sent = 0;
        var meter = Meter.Start();
        while ((sent & 255) != 0 || meter.Milliseconds < load.Count)
        {
            Send(pub, body, body.Length);
            sent++;
        }

        meter.Report("pub", sent);
        Stay();
    }

    private void Subscribe()
    {
        var tally = new Arrivals();
        using var poller = new NetMQPoller();
        List<SubscriberSocket> subs = [];
        for (int i = 0; i < load.Peers; i++)
        {
            var sub = new SubscriberSocket();
            sub.Subscribe("");
            Join(sub);
            sub.ReceiveReady += (_, ready) =>
            {
                for (int burst = 0; burst < 1000 && TryReceive(ready.Socket); burst++)
                {
                    tally.Count();
                }
            };
            poller.Add(sub);
            subs.Add(sub);
        }

        var watch = new NetMQTimer(TimeSpan.FromMilliseconds(100));
        watch.Elapsed += (_, _) =>
        {
            if (tally.HasEnded)
            {
                poller.Stop();
            }
        };
        poller.Add(watch);
        poller.Run();
        tally.Report();
        subs.ForEach(static sub => sub.Dispose());
    }

    private void Send(NetMQSocket socket, byte[] body, int size)
    {
        if (form == NetMqForm.Bytes)
        {
            socket.SendFrame(body, size);
            return;
        }

        Msg message = default;
        message.InitPool(size);
        body.AsSpan(0, size).CopyTo(message.Slice());
        _ = socket.TrySend(ref message, Forever, more: false);
    }

    // Returns the size of the message.
    private int Receive(NetMQSocket socket)
    {
        if (form == NetMqForm.Bytes)
        {
            return socket.ReceiveFrameBytes().Length;
        }

        _ = socket.TryReceive(ref _received, Forever);
        return _received.Size;
    }

    private bool TryReceive(NetMQSocket socket)
        => form == NetMqForm.Bytes ? socket.TryReceiveFrameBytes(out _) : socket.TryReceive(ref _received, TimeSpan.Zero);

    private void Join(NetMQSocket socket)
    {
        socket.Options.SendHighWatermark = load.Mark;
        socket.Options.ReceiveHighWatermark = load.Mark;
        if (load.Binds)
        {
            socket.Bind(load.Endpoint);
        }
        else
        {
            socket.Connect(load.Endpoint);
        }
    }
}
