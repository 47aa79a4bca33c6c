using System.Diagnostics;
using System.Globalization;
using Broker.ZeroMq;

namespace Broker.Benchmarks.Interop;

/// <summary>
/// Measures the cost of waiting for a message that does not arrive, in processor time of this process for each second
/// of waiting. It compares the original binding's loop of attempts, yields and clock reads, libzmq's own timeout,
/// libzmq's poll, and this project's socket. Nothing is asserted.
/// </summary>
internal static unsafe class IdleReceive
{
    private static readonly TimeSpan[] Timeouts =
        [TimeSpan.Zero, TimeSpan.FromMilliseconds(0.5), TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(100), Timeout.InfiniteTimeSpan];

    internal static void Run(TextWriter output, TimeSpan window)
    {
        using var pair = new LibzmqPair();
        using var context = new ZeroMqContext();
        using var push = new PushSocket(context: context);
        using var pull = new PullSocket(context: context);
        pull.Bind("inproc://idle");
        push.Connect("inproc://idle");
        byte[] buffer = new byte[64];
        output.WriteLine("| waiting by | timeout | a call, µs | processor, ms per s |");
        output.WriteLine("|---|---:|---:|---:|");
        foreach (TimeSpan timeout in Timeouts)
        {
            int milliseconds = timeout == Timeout.InfiniteTimeSpan ? -1 : (int)Math.Ceiling(timeout.TotalMilliseconds);
            Action wake = () => pair.Send(buffer);
            if (timeout != Timeout.InfiniteTimeSpan)
            {
                Measure(output, "attempts and a clock", timeout, window, () => Spin(pair.Pull, timeout, buffer), wake);
            }

            Libzmq.Set(pair.Pull, Libzmq.ReceiveTimeout, milliseconds);
            Measure(output, "libzmq's time limit", timeout, window, () => Receive(pair.Pull, buffer, 0), wake);
            Measure(output, "libzmq's poll", timeout, window, () => Poll(pair.Pull, milliseconds, buffer), wake);
            Measure(output, "our socket", timeout, window, () => pull.TryReceive(buffer, out _, timeout), () => push.Send(buffer));
        }
    }

    private static void Measure(TextWriter output, string name, TimeSpan timeout, TimeSpan window, Func<bool> receive, Action wake)
    {
        bool isForever = timeout == Timeout.InfiniteTimeSpan;

        // This call warms up the compiler.
        _ = isForever ? WaitForEver(receive, wake, window / 4) : Repeat(receive, window / 4);
        TimeSpan before = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        long calls = isForever ? WaitForEver(receive, wake, window) : Repeat(receive, window);
        TimeSpan took = Stopwatch.GetElapsedTime(start);
        TimeSpan used = Environment.CpuUsage.TotalTime - before;
        string limit = isForever ? "none" : string.Create(CultureInfo.InvariantCulture, $"{timeout.TotalMilliseconds} ms");
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"| {name} | {limit} | {(isForever ? "" : (took.TotalMicroseconds / calls).ToString("0.##", CultureInfo.InvariantCulture))} | {used.TotalMilliseconds / took.TotalSeconds:0.0} |"));
    }

    private static long WaitForEver(Func<bool> receive, Action wake, TimeSpan window)
    {
        var waiting = new Thread(() => receive());
        waiting.Start();
        Thread.Sleep(window);
        wake();
        waiting.Join();
        return 1;
    }

    private static long Repeat(Func<bool> receive, TimeSpan window)
    {
        long start = Stopwatch.GetTimestamp();
        long calls = 0;
        do
        {
            for (int i = 0; i < 4; i++, calls++)
            {
                if (receive())
                {
                    throw new InvalidOperationException("Nothing was sent.");
                }
            }
        }
        while (Stopwatch.GetElapsedTime(start) < window);

        return calls;
    }

    private static bool Spin(nint socket, TimeSpan timeout, byte[] buffer)
    {
        if (Receive(socket, buffer, Libzmq.DoNotWait))
        {
            return true;
        }

        if (timeout == TimeSpan.Zero)
        {
            return false;
        }

        SpinWait turns = default;
        var clock = Stopwatch.StartNew();
        while (clock.Elapsed < timeout)
        {
            if (Receive(socket, buffer, Libzmq.DoNotWait))
            {
                return true;
            }

            turns.SpinOnce();
        }

        return false;
    }

    private static bool Poll(nint socket, int milliseconds, byte[] buffer)
    {
        var item = new Libzmq.PollItem { Socket = socket, Events = Libzmq.PollIn };
        return Libzmq.Poll(&item, 1, milliseconds) > 0 && Receive(socket, buffer, Libzmq.DoNotWait);
    }

    private static bool Receive(nint socket, byte[] buffer, int flags)
    {
        fixed (byte* at = buffer)
        {
            return Libzmq.Receive(socket, at, (nuint)buffer.Length, flags) >= 0;
        }
    }
}
