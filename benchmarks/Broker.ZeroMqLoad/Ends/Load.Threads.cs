using System.Diagnostics;
using System.Globalization;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.ZeroMqLoad.Ends;

// This part uses thread-safe sockets.
internal sealed partial class Load
{
    private void Push()
    {
        using var push = new PushSocket(Options);
        Join(push);
        byte[] body = new byte[Size];
        int[] sizes = Sizes();
        for (int i = 0; i < WarmUp; i++)
        {
            push.Send(body.AsSpan(0, sizes[i & (sizes.Length - 1)]));
        }

        var meter = Meter.Start();
        for (int i = 0; i < Count; i++)
        {
            push.Send(body.AsSpan(0, sizes[i & (sizes.Length - 1)]));
        }

        meter.Report("push", Count);
    }

    private void Pull()
    {
        using var pull = new PullSocket(Options);
        Join(pull);
        byte[] buffer = new byte[Size];
        Take(pull, buffer, WarmUp);
        var meter = Meter.Start();
        Take(pull, buffer, Count);

        meter.Report("pull", Count);
    }

    private void Take(PullSocket pull, byte[] buffer, int count)
    {
        for (int i = 0; i < count; i++)
        {
            _ = TakesArrays ? pull.ReceiveBytes().Length : pull.Receive(buffer);
        }
    }

    private void Request()
    {
        using EventLoopGroup? loops = OwnLoops();
        using ZeroMqContext context = ContextOf(loops);
        using var req = new RequestSocket(new RequestSocketOptions { Attempts = Attempts }, context);
        Join(req);
        byte[] body = new byte[Size];
        byte[] buffer = new byte[Size];
        long[] times = new long[Count];
        for (int i = 0; i < WarmUp; i++)
        {
            req.Send(body);
            req.Receive(buffer);
        }

        var meter = Meter.Start();
        for (int i = 0; i < Count; i++)
        {
            long start = Stopwatch.GetTimestamp();
            req.Send(body);
            req.Receive(buffer);
            times[i] = Stopwatch.GetTimestamp() - start;
        }

        meter.Report("req", Count);
        ReportTimes(times);
    }

    /// <summary>Prints the median, p99 and p99.9 of durations in ticks of the stopwatch. Sorts them.</summary>
    internal static void ReportTimes(long[] times)
    {
        Array.Sort(times);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"req p50_us={Microseconds(0.5):F1} p99_us={Microseconds(0.99):F1} p999_us={Microseconds(0.999):F1}"));

        double Microseconds(double share) => times[(int)(share * times.Length)] * 1e6 / Stopwatch.Frequency;
    }

    private void Reply()
    {
        using EventLoopGroup? loops = OwnLoops();
        using ZeroMqContext context = ContextOf(loops);
        using var rep = new ResponseSocket(Options, context);
        Join(rep);
        byte[] buffer = new byte[Size];
        for (int i = 0; i < WarmUp + Count; i++)
        {
            int got = rep.Receive(buffer);
            rep.Send(buffer.AsSpan(0, got));
        }
    }

    // The count is in milliseconds, because a publisher that drops messages does not know how many arrived.
    private void Publish()
    {
        using var pub = new PublisherSocket(Options);
        Join(pub);
        byte[] body = new byte[Size];
        Thread.Sleep(SettlingTime);
        int sent = 0;
        var meter = Meter.Start();
        while ((sent & 255) != 0 || meter.Milliseconds < Count)
        {
            pub.Send(body);
            sent++;
        }

        meter.Report("pub", sent);
        Thread.Sleep(2 * SettlingTime);
    }

    private void Idle()
    {
        using var pub = new PublisherSocket(Options with { MaxPeers = MostPeers });
        Join(pub);
        Console.WriteLine("measuring");
        Console.In.ReadToEnd();
    }

    private void Subscribe()
    {
        using var context = new ZeroMqContext();
        using var poller = new ZeroMqPoller();
        byte[] buffer = new byte[Size];
        var tally = new Arrivals();
        for (int i = 0; i < Peers; i++)
        {
            var sub = new SubscriberSocket(Options, context);
            sub.Subscribe("");
            Join(sub);
            poller.Add(sub, socket =>
            {
                for (int burst = 0; burst < 1000 && socket.TryReceive(buffer, out _); burst++)
                {
                    tally.Count();
                }
            });
        }

        poller.AddTimer(TimeSpan.FromMilliseconds(100), () =>
        {
            if (tally.HasEnded)
            {
                poller.Stop();
            }
        });
        poller.Run();
        tally.Report();
    }

    private void Proxy()
    {
        using var front = new PullSocket(Options);
        using var back = new PushSocket(Options);
        front.Bind(Endpoint);
        back.Bind(Back ?? throw new ArgumentException("A forwarder needs --back."));
        var proxy = ZeroMqProxy.Start(front, back);
        Console.In.ReadToEnd();
        proxy.DisposeAsync().AsTask().Wait();
    }
}
