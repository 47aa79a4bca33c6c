using System.Text;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class AsyncCases
{
    public static void A_runtime_runs_asynchronous_code(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindTcp());
        using (var runtime = new NetMQRuntime())
        {
            t.Show("current", ReferenceEquals(NetMQRuntime.Current, runtime));
            int thread = Environment.CurrentManagedThreadId;
            runtime.Run(Serve(), Ask());

            async Task Serve()
            {
                for (int i = 0; i < 3; i++)
                {
                    (string text, bool more) = await rep.ReceiveFrameStringAsync();
                    t.Show("thread", Environment.CurrentManagedThreadId == thread);
                    t.Show("request", $"{text} {more}");
                    rep.SendMoreFrame("a").SendFrame("b");
                }
            }

            async Task Ask()
            {
                for (int i = 0; i < 3; i++)
                {
                    req.SendFrame($"{i}");
                    t.Show("reply", await req.ReceiveMultipartMessageAsync());
                }
            }
        }
    }

    public static void The_asynchronous_forms(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            var runtime = new NetMQRuntime();
            runtime.Run(Receive(), Send());
            runtime.Dispose();

            async Task Send()
            {
                await Task.Yield();
                a.SendMoreFrame("bytes").SendFrame("ä", more: false);
                a.SendMoreFrame("skipped").SendFrame("kept");
                a.SendMoreFrame("x").SendFrame("y");
                a.SendMoreFrame(new RoutingKey([1, 2]));
                a.SendFrame("end");
            }

            async Task Receive()
            {
                (byte[] bytes, bool more) = await b.ReceiveFrameBytesAsync();
                t.Show("bytes", bytes);
                t.Show("more", more);
                (string text, bool last) = await b.ReceiveFrameStringAsync(Encoding.UTF8);
                t.Show("text", $"{text} {last}");
                t.Show("skipped", await b.SkipFrameAsync());
                t.Show("kept", (await b.ReceiveFrameStringAsync()).Item1);
                await b.SkipMultipartMessageAsync();
                (RoutingKey key, bool follows) = await b.ReceiveRoutingKeyAsync();
                t.Show("key", $"{key} {follows}");
                t.Show("end", (await b.ReceiveFrameStringAsync()).Item1);
            }
        }
    }

    public static void Asynchronous_calls_need_a_runtime(Transcript t)
    {
        using var pull = new PullSocket();
        t.Try("current", () => NetMQRuntime.Current);
        t.Try("bytes", () => pull.ReceiveFrameBytesAsync());
        t.Try("string", () => pull.ReceiveFrameStringAsync());
        t.Try("message", () => pull.ReceiveMultipartMessageAsync().Exception!.InnerException!.GetType().Name);
        t.Try("skip", () => pull.SkipFrameAsync());
    }

    public static void A_runtime_is_cancelled(Transcript t)
    {
        using var pull = new PullSocket();
        using var stop = new CancellationTokenSource();
        using var runtime = new NetMQRuntime();
        Task waiting = Wait();
        stop.CancelAfter(50);
        runtime.Run(stop.Token, waiting);
        t.Show("completed", waiting.IsCompletedSuccessfully);

        async Task Wait() => await pull.ReceiveFrameBytesAsync();
    }

    public static void A_receive_is_cancelled(Transcript t)
    {
        using var pull = new PullSocket();
        using var stop = new CancellationTokenSource();
        using var runtime = new NetMQRuntime();
        runtime.Run(Wait());

        async Task Wait()
        {
            stop.CancelAfter(50);
            try
            {
                await pull.ReceiveFrameBytesAsync(stop.Token);
            }
            catch (OperationCanceledException)
            {
                t.Show("cancelled", stop.IsCancellationRequested);
            }
        }
    }
}
