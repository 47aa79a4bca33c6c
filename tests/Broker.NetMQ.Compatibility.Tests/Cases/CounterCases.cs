using NetMQ;
using NetMQ.Core.Utils;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class CounterCases
{
    public static void A_counter_counts(Transcript t)
    {
        var counter = new AtomicCounter();
        t.Show("first", counter.Decrement());
        counter.Set(5);
        t.Show("two", counter.Decrement(2));
        counter.Increase(4);
        t.Show("one", counter.Decrement());
        counter.Increase(-3);
        t.Show("none", counter.Decrement(0));
    }

    public static void A_pool_makes_counters(Transcript t)
    {
        using var pool = new OwnPool();
        AtomicCounter counter = pool.Take();
        t.Show("new", counter.Decrement());
        t.Try("back", () => pool.Return(counter));
        var plain = new GCAtomicCounterPool();
        t.Try("disposal", plain.Dispose);
        AtomicCounter own = AtomicCounterPool.Take();
        t.Try("back", () => AtomicCounterPool.Return(own));
    }

    public static void A_request_is_sent_again(Transcript t)
    {
        using var progress = new PublisherSocket();
        using var seen = new SubscriberSocket();
        seen.Connect(progress.BindInproc());
        seen.SubscribeToAnyTopic();
        progress.TrySignalOK();
        t.Show("ready", seen.TrySkipFrame(Ports.Soon));
        using var server = new ResponseSocket();
        string address = server.BindTcp();
        var echo = new Thread(() =>
        {
            for (int i = 0; i < 2; i++)
            {
                server.SendMultipartMessage(server.ReceiveMultipartMessage());
            }
        });
        echo.Start();
        t.Show("text", RequestSocket.RequestResponseStringWithRetry(address, "hello", 3, Ports.Soon, progress));
        var request = new NetMQMessage([[1], [2]]);
        t.Show("message", RequestSocket.RequestResponseMultipartMessageWithRetry(address, request, 3, Ports.Soon, progress));
        echo.Join();

        // Nobody receives the requests that follow.
        using var silent = new PullSocket();
        address = silent.BindTcp();
        var wait = TimeSpan.FromMilliseconds(100);
        t.Show("silence", RequestSocket.RequestResponseStringWithRetry(address, "hello", 2, wait, progress));
        t.Show("message", RequestSocket.RequestResponseMultipartMessageWithRetry(address, request, 1, wait, progress));
        t.Show("nothing", RequestSocket.RequestResponseStringWithRetry(address, "hello", 0, wait));
        List<string> words = [];
        while (seen.TryReceiveFrameString(wait, out string? word))
        {
            words.Add(word);
        }

        t.Show("progress", words);
    }

    private sealed class OwnPool : GCAtomicCounterPool
    {
        protected override void Dispose(bool disposing) => base.Dispose(disposing);
    }
}
