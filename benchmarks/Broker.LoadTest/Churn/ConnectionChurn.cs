using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Churn;

/// <summary>
/// Opens connections at a steady rate. Each subscribes, publishes to itself, compares the received messages, and
/// closes: in turn after UNSUB, with the subscription, by a reset, and by a reset while messages are being delivered to
/// it.
/// </summary>
internal sealed class ConnectionChurn(Target target, int connectionsPerSecond)
{
    private const int Threads = 4;
    private const int MessagesEach = 3;
    private const int SourceAddresses = 50;
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(2);

    private volatile bool _stopped;
    private long _connections;
    private long _expected;
    private long _received;
    private long _lost;
    private long _refused;
    private string? _firstProblem;

    public long Connections => Interlocked.Read(ref _connections);

    /// <summary>The numbers of expected and received messages.</summary>
    public (long Expected, long Received) Messages => (Interlocked.Read(ref _expected), Interlocked.Read(ref _received));

    /// <summary>The number of connections on which a message did not arrive within 5 s.</summary>
    public long LostWakeUps => Interlocked.Read(ref _lost);

    /// <summary>The number of connections that could not be opened or were closed by the server.</summary>
    public long Refused => Interlocked.Read(ref _refused);

    public string? FirstProblem => Volatile.Read(ref _firstProblem);

    public Worker[] Start(Session session) => [.. Enumerable.Range(0, Threads).Select(thread => session.Start("churn", () => Run(thread)))];

    public void Stop() => _stopped = true;

    private void Run(int thread)
    {
        byte[] buffer = new byte[BufferPool.BufferSize];
        long from = Stopwatch.GetTimestamp();
        for (long made = 0; !_stopped;)
        {
            long due = (long)(Stopwatch.GetElapsedTime(from).TotalSeconds * connectionsPerSecond / Threads);
            for (; made < due && !_stopped; made++)
            {
                Visit((made * Threads) + thread, buffer);
            }

            Thread.Sleep(Tick);
        }
    }

    private void Visit(long number, byte[] buffer)
    {
        Interlocked.Increment(ref _connections);
        try
        {
            IPAddress? from = OperatingSystem.IsLinux() ? new IPAddress([127, 0, 0, (byte)(2 + (number % SourceAddresses))]) : null;
            using var connection = RawConnection.Dial(target.Server.Address, buffer, from);
            connection.SetReceiveTimeout(WaitLimit);
            Talk(connection, number);
        }
        catch (DriverException e) when (e is not ConnectionCutException)
        {
            Interlocked.Increment(ref _lost);
            Interlocked.CompareExchange(ref _firstProblem, e.Message, null);
        }
        catch (Exception e) when (e is SocketException or ConnectionCutException)
        {
            Interlocked.Increment(ref _refused);
            Interlocked.CompareExchange(ref _firstProblem, e.Message, null);
        }
    }

    private void Talk(RawConnection connection, long number)
    {
        string subject = string.Create(CultureInfo.InvariantCulture, $"churn.{number}");
        byte[] payload = Payloads.Pattern((int)(number % 200));
        byte[] publish = Frames.Publish(subject, payload);
        connection.Send(Frames.Subscribe(subject, null, 1));
        for (int i = 0; i < MessagesEach; i++)
        {
            connection.Send(publish);
        }

        var farewell = (Farewell)(number / Threads % 4);
        if (farewell == Farewell.ResetUnread)
        {
            connection.Reset();
            return;
        }

        Interlocked.Add(ref _expected, MessagesEach);
        byte[] message = Frames.Message(subject, 1, payload);
        for (int i = 0; i < MessagesEach; i++)
        {
            connection.Expect(message);
            Interlocked.Increment(ref _received);
        }

        if (farewell == Farewell.Clean)
        {
            connection.Send("UNSUB 1\r\n"u8);
            connection.Fence();
        }

        if (farewell == Farewell.Reset)
        {
            connection.Reset();
        }
    }

    private enum Farewell
    {
        Clean,
        Subscribed,
        Reset,
        ResetUnread,
    }
}
