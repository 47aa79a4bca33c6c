using System.Globalization;
using Broker.ZeroMq;

namespace ZeroMqGuide;

/// <summary>A ventilator that gives out tasks, workers that do them side by side, and a sink that counts what is done.</summary>
public static class Tasks
{
    /// <summary>Tells the sink of the start, and gives out tasks, each a number of milliseconds to work.</summary>
    public static void Ventilate(PushSocket workers, PushSocket sink, int tasks, TextWriter output)
    {
        sink.Send("0");
        var random = new Random();
        int total = 0;
        for (int i = 0; i < tasks; i++)
        {
            int workload = random.Next(1, 10);
            total += workload;
            workers.Send(workload.ToString(CultureInfo.InvariantCulture));
        }

        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{tasks} tasks of {total} ms in all"));
    }

    /// <summary>Works until the socket is closed.</summary>
    public static void Work(PullSocket ventilator, PushSocket sink)
    {
        try
        {
            while (true)
            {
                Thread.Sleep(int.Parse(ventilator.ReceiveString(), CultureInfo.InvariantCulture));
                sink.Send("");
            }
        }
        catch (ObjectDisposedException)
        {
        }
    }

    /// <summary>Waits for the start, and then for so many results.</summary>
    public static void Collect(PullSocket results, int tasks, TextWriter output)
    {
        results.ReceiveString();
        for (int i = 0; i < tasks; i++)
        {
            results.ReceiveBytes();
        }

        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{tasks} tasks are done"));
    }
}
