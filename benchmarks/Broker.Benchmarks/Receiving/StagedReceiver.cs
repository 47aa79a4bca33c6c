using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Protocol;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// A client in the common form: one thread reads and parses, and another one delivers. The subclasses differ in how a
/// message gets from the first thread to the second.
/// </summary>
internal abstract class StagedReceiver : IReceiver
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly Tally _tally = new();
    private readonly Thread _reader;
    private readonly Thread _deliverer;

    protected StagedReceiver()
    {
        _reader = new Thread(Read) { IsBackground = true, Name = "reader" };
        _deliverer = new Thread(DeliverAll) { IsBackground = true, Name = "deliverer" };
    }

    public long Received => _tally.Received;

    public ulong Sum => _tally.Sum;

    protected volatile bool Ended;

    public void Start(int port, ReadOnlySpan<byte> filter)
    {
        _socket.Connect(new IPEndPoint(IPAddress.Loopback, port));
        _socket.Send("CONNECT {\"verbose\":false}\r\nPING\r\n"u8);
        _socket.Send(Encoding.ASCII.GetBytes($"SUB {Encoding.ASCII.GetString(filter[..^1])} 1\r\n"));
        _reader.Start();
        _deliverer.Start();
    }

    public void Expect(long total) => _tally.Expect(total);

    public void Wait() => _tally.Wait();

    public void Dispose()
    {
        Ended = true;
        _socket.Dispose();
        WakeDeliverer();
        _reader.Join();
        _deliverer.Join();
        _tally.Dispose();
    }

    /// <summary>Receives a parsed message on the reader.</summary>
    protected abstract void OnMessage(in MessageOperation operation);

    /// <summary>Delivers one message, or waits for one. Runs on the deliverer; returns false at the end.</summary>
    protected abstract bool DeliverOne(Tally tally);

    protected abstract void WakeDeliverer();

    private void DeliverAll()
    {
        while (DeliverOne(_tally))
        {
        }
    }

    private void Read()
    {
        byte[] buffer = new byte[64 * 1024];
        var parser = new ServerOperationParser(ParserLimits.Default);
        var handler = new Handler(this);
        int have = 0;
        try
        {
            int got;
            while ((got = _socket.Receive(buffer, have, buffer.Length - have, SocketFlags.None)) > 0)
            {
                have += got;
                int needed = 0;
                int consumed = parser.Parse(buffer.AsSpan(0, have), ref handler, ref needed, out ProtocolError error);
                Running.Agreement.Require(ProtocolError.None, error, "the protocol");
                buffer.AsSpan(consumed, have - consumed).CopyTo(buffer);
                have -= consumed;
            }
        }
        catch (SocketException)
        {
            // The receiver was disposed.
        }
        catch (ObjectDisposedException)
        {
            // The receiver was disposed.
        }
    }

    private readonly struct Handler(StagedReceiver receiver) : IServerOperationHandler
    {
        public bool OnMessage(in MessageOperation operation)
        {
            receiver.OnMessage(in operation);
            return true;
        }

        public bool OnInfo(ReadOnlySpan<byte> json) => true;

        public bool OnPing() => true;

        public bool OnPong() => true;

        public bool OnOk() => true;

        public bool OnError(ReadOnlySpan<byte> text) => false;
    }
}
