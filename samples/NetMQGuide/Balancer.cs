using NetMQ;
using NetMQ.Sockets;

namespace NetMQGuide;

/// <summary>
/// ROUTER, DEALER and a poller: a balancer gives each request to a worker that has said that it is free.
/// </summary>
internal static class Balancer
{
    private const int WorkerCount = 2;
    private const int RequestCount = 10;

    internal static void Run(TextWriter output)
    {
        using var front = new RouterSocket("@inproc://balancer-front");
        using var back = new RouterSocket("@inproc://balancer-back");
        var free = new Queue<NetMQFrame>();
        using var poller = new NetMQPoller { back };
        back.ReceiveReady += (_, _) =>
        {
            // [worker]["ready"], or [worker][client][empty][reply].
            NetMQMessage message = back.ReceiveMultipartMessage();
            free.Enqueue(message.Pop());
            if (message.FrameCount > 1)
            {
                front.SendMultipartMessage(message);
            }

            if (free.Count == 1)
            {
                poller.Add(front);
            }
        };
        front.ReceiveReady += (_, _) =>
        {
            NetMQMessage message = front.ReceiveMultipartMessage();
            message.Push(free.Dequeue());
            back.SendMultipartMessage(message);
            if (free.Count == 0)
            {
                poller.Remove(front);
            }
        };
        poller.RunAsync();
        using var done = new CancellationTokenSource();
        Thread[] workers = [.. Enumerable.Range(0, WorkerCount).Select(_ => new Thread(() => Work(done.Token)))];
        Array.ForEach(workers, worker => worker.Start());

        using (var client = new RequestSocket(">inproc://balancer-front"))
        {
            for (int i = 1; i <= RequestCount; i++)
            {
                client.SendFrame($"request {i}");
                output.WriteLine(client.ReceiveFrameString());
            }
        }

        done.Cancel();
        Array.ForEach(workers, worker => worker.Join());
        poller.Stop();
    }

    private static void Work(CancellationToken done)
    {
        using var worker = new DealerSocket(">inproc://balancer-back");
        worker.SendFrame("ready");
        NetMQMessage? message = null;
        while (!done.IsCancellationRequested)
        {
            if (!worker.TryReceiveMultipartMessage(TimeSpan.FromMilliseconds(100), ref message))
            {
                continue;
            }

            NetMQFrame request = message!.Last;
            message.RemoveFrame(request);
            message.Append($"{request.ConvertToString()} is done");
            worker.SendMultipartMessage(message);
        }
    }
}
