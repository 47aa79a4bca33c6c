using System.Globalization;
using Broker.ZeroMq;

namespace ZeroMqGuide;

/// <summary>A ventilator that sends tasks, workers that process them, and a sink that counts the results.</summary>
public static class Tasks
{
    /// <summary>
    /// Sends a start message to the sink and tasks to the workers. A task is a number of milliseconds.
    /// </summary>
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

    /// <summary>Processes tasks until the socket is closed.</summary>
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

    /// <summary>Waits for the start message and then for one result per task.</summary>
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
