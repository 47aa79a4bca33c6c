using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMqLoad.Ends;

// This part uses loop sockets.
internal sealed partial class Load
{
    private void PushOnLoop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var push = new LoopPush(loops[0], new LoopMessageOptions { SendHighWaterMark = Mark });
        byte[] body = new byte[Size];
        int[] sizes = Sizes();
        using var done = new ManualResetEventSlim();
        int sent = 0;
        Meter? meter = null;
        void Go()
        {
            while (sent < WarmUp + Count && push.TrySend(body.AsSpan(0, sizes[sent & (sizes.Length - 1)])))
            {
                if (++sent == WarmUp)
                {
                    meter = Meter.Start();
                }
            }

            if (sent == WarmUp + Count)
            {
                done.Set();
            }
        }

        push.OnWritable = Go;
        Join(push);
        loops[0].Post(Go);
        done.Wait();
        meter!.Report("push", Count);
        push.CloseAsync(TimeSpan.FromSeconds(30)).Wait();
    }

    private void PullOnLoop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var done = new ManualResetEventSlim();
        int got = 0;
        Meter? meter = null;
        var pull = new LoopPull(loops[0], (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            got++;
            if (got == WarmUp)
            {
                meter = Meter.Start();
            }
            else if (got == WarmUp + Count)
            {
                meter!.Report("pull", Count);
                done.Set();
            }

            return true;
        });
        Join(pull);
        done.Wait();
        pull.CloseAsync(TimeSpan.Zero).Wait();
    }

    private void PublishOnLoop()
    {
        const int MostPerTurn = 256;
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var pub = new LoopPublisher(loops, new LoopPublisherOptions { HighWaterMessages = Mark });
        Join(pub);
        byte[] body = new byte[Size];
        Thread.Sleep(SettlingTime);
        using var done = new ManualResetEventSlim();
        int sent = 0;
        Meter meter = null!;
        void Go()
        {
            meter ??= Meter.Start();
            if (meter.Milliseconds >= Count)
            {
                done.Set();
                return;
            }

            for (int i = 0; i < MostPerTurn; i++)
            {
                pub.Publish(loops[0], body, []);
            }

            sent += MostPerTurn;
            loops[0].Post(Go);
        }

        loops[0].Post(Go);
        done.Wait();
        meter.Report("pub", sent);
        Thread.Sleep(2 * SettlingTime);
        pub.CloseAsync(TimeSpan.Zero).Wait();
    }

    private void IdleOnLoop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var pub = new LoopPublisher(loops, new LoopPublisherOptions { MaxPeers = MostPeers });
        Join(pub);
        Console.WriteLine("measuring");
        Console.In.ReadToEnd();
        pub.CloseAsync(TimeSpan.Zero).Wait();
    }

    private void SubscribeOnLoop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var tally = new Arrivals();
        for (int i = 0; i < Peers; i++)
        {
            var sub = new LoopSubscriber(loops, (ZeroMqPeer _, in ZmtpMessage _) =>
            {
                tally.Count();
                return true;
            });
            sub.Subscribe([]);
            Join(sub);
        }

        while (!tally.HasEnded)
        {
            Thread.Sleep(100);
        }

        tally.Report();
    }

    private void Forward()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var forwarder = new LoopForwarder(
            loops[0], new LoopMessageOptions(), new LoopMessageOptions { SendHighWaterMark = Mark });
        forwarder.Front.Bind(Endpoint);
        forwarder.Back.Bind(Back ?? throw new ArgumentException("A forwarder needs --back."));

        // The process runs until its input ends. The measuring process reads its processor time.
        Console.In.ReadToEnd();
        forwarder.CloseAsync(TimeSpan.Zero).Wait();
    }
}
