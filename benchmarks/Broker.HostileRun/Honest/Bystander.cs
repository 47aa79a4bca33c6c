using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Honest;

/// <summary>
/// A client that sends a PING each 10 ms, whether or not the earlier ones were answered. A thread that wakes up late
/// sends late, so that only the server's time counts.
/// </summary>
internal sealed class Bystander : IHonestTraffic
{
    public const string Title = "bystander's PING";

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly ConcurrentQueue<long> _sentTimes = new();
    private readonly TcpClient _socket = new() { NoDelay = true, ReceiveTimeout = (int)Limit.TotalMilliseconds };
    private readonly StreamReader _reader;
    private readonly Thread _sender;
    private readonly Thread _receiver;
    private volatile bool _stops;
    private volatile bool _hasSentLast;
    private long _sent;
    private long _answered;

    public Bystander(int port)
    {
        _socket.Connect("127.0.0.1", port);
        _reader = new StreamReader(_socket.GetStream(), Encoding.ASCII);
        _reader.ReadLine();
        Send($$"""CONNECT {"verbose":false,"user":"{{Names.Honest}}","pass":"{{Names.HonestPassword}}"}""");
        _sender = new Thread(() => Guard(SendPings)) { IsBackground = true, Name = "bystander" };
        _receiver = new Thread(() => Guard(ReceiveAnswers)) { IsBackground = true, Name = "bystander's answers" };
        _sender.Start();
        _receiver.Start();
    }

    public string Name => Title;

    public TimeMeter Times { get; } = new();

    public long Sent => Volatile.Read(ref _sent);

    public IReadOnlyCollection<string> Faults => _faults;

    public Task<HonestCounts> EndAsync()
    {
        Stop();
        return Task.FromResult(new HonestCounts(_sent, _answered, 0));
    }

    public ValueTask DisposeAsync()
    {
        Stop();
        _reader.Dispose();
        _socket.Dispose();
        return ValueTask.CompletedTask;
    }

    private void Stop()
    {
        _stops = true;
        _sender.Join();
        _receiver.Join();
    }

    private void SendPings()
    {
        for (bool isLast = false; !isLast; Thread.Sleep(Interval))
        {
            // The answer to the last PING ends the thread that waits for answers.
            isLast = _stops;
            _sentTimes.Enqueue(Stopwatch.GetTimestamp());
            Volatile.Write(ref _sent, _sent + 1);
            _hasSentLast = isLast;
            Send("PING");
        }
    }

    // The answers have the order of the PINGs.
    private void ReceiveAnswers()
    {
        while (!_hasSentLast || _answered < Sent)
        {
            string line = _reader.ReadLine() ?? throw new IOException("the server closed it");
            if (line == "PING")
            {
                Send("PONG");
            }
            else if (line == "PONG" && _sentTimes.TryDequeue(out long sent))
            {
                Times.RecordSince(sent);
                _answered++;
            }
            else
            {
                throw new IOException($"the server sent {line}");
            }
        }
    }

    private void Guard(Action action)
    {
        try
        {
            action();
        }
        catch (IOException e)
        {
            _faults.Enqueue($"The bystander's connection failed: {e.Message}");
        }
    }

    private void Send(string line)
    {
        lock (_sentTimes)
        {
            _socket.GetStream().Write(Encoding.ASCII.GetBytes(line + "\r\n"));
        }
    }
}
