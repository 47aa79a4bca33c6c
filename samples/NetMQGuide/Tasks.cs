using NetMQ;
using NetMQ.Sockets;

namespace NetMQGuide;

/// <summary>PUSH and PULL: a ventilator gives tasks to three workers, whose results reach one sink.</summary>
internal static class Tasks
{
    private const int TaskCount = 100;

    internal static void Run(TextWriter output)
    {
        using var ventilator = new PushSocket();
        using var sink = new PullSocket();
        string tasks = $"tcp://127.0.0.1:{ventilator.BindRandomPort("tcp://127.0.0.1")}";
        string results = $"tcp://127.0.0.1:{sink.BindRandomPort("tcp://127.0.0.1")}";
        using var done = new CancellationTokenSource();
        Thread[] workers = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() => Work(tasks, results, done.Token)))];
        Array.ForEach(workers, worker => worker.Start());
        for (int i = 0; i < TaskCount; i++)
        {
            ventilator.SendFrame(BitConverter.GetBytes(i));
        }

        long sum = 0;
        for (int i = 0; i < TaskCount; i++)
        {
            sum += BitConverter.ToInt64(sink.ReceiveFrameBytes());
        }

        output.WriteLine($"the sum of {TaskCount} squares is {sum}");
        done.Cancel();
        Array.ForEach(workers, worker => worker.Join());
    }

    private static void Work(string tasks, string results, CancellationToken done)
    {
        using var receiver = new PullSocket(">" + tasks);
        using var sender = new PushSocket(">" + results);
        while (!done.IsCancellationRequested)
        {
            if (receiver.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(100), out byte[]? bytes))
            {
                long number = BitConverter.ToInt32(bytes);
                sender.SendFrame(BitConverter.GetBytes(number * number));
            }
        }
    }
}
