using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.HostileRun.Attacks;

/// <summary>A TCP connection to the broker that sends any bytes.</summary>
internal sealed class HostileConnection : IDisposable
{
    // Linux has all addresses of 127.0.0.0/8. The honest clients keep 127.0.0.1 for themselves, so that what the server
    // limits for each address does not mix them up with their attackers.
    private const int Addresses = 8;

    private readonly Socket _socket;
    private readonly byte[] _buffer = new byte[4096];

    private HostileConnection(Socket socket) => _socket = socket;

    public static async Task<HostileConnection> OpenAsync(int port, int? receiveBuffer, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            if (receiveBuffer is { } size)
            {
                socket.ReceiveBufferSize = size;
            }

            if (OperatingSystem.IsLinux())
            {
                socket.Bind(new IPEndPoint(new IPAddress([127, 0, 0, (byte)(2 + Random.Shared.Next(Addresses))]), 0));
            }

            await socket.ConnectAsync(IPAddress.Loopback, port, cancellationToken);
            return new HostileConnection(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public Task SendAsync(string text, CancellationToken cancellationToken) => SendAsync(Encoding.Latin1.GetBytes(text), cancellationToken);

    public async Task SendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await _socket.SendAsync(bytes, cancellationToken)..];
        }
    }

    /// <summary>Reads what there is. The memory is valid until the next call. It is empty at the end.</summary>
    public async Task<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
        => _buffer.AsMemory(0, await _socket.ReceiveAsync(_buffer, cancellationToken));

    /// <summary>Reads and discards this number of bytes.</summary>
    public async Task SkipAsync(int count, CancellationToken cancellationToken)
    {
        while (count > 0)
        {
            int got = await _socket.ReceiveAsync(_buffer.AsMemory(0, Math.Min(count, _buffer.Length)), cancellationToken);
            count -= got > 0 ? got : throw new EndOfStreamException();
        }
    }

    /// <summary>Reads and discards everything until the broker closes the connection or this time is over.</summary>
    public async Task HoldAsync(TimeSpan time, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(time);
        try
        {
            while (await _socket.ReceiveAsync(_buffer, limit.Token) > 0)
            {
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // The time is over.
        }
    }

    /// <summary>Makes the end a reset in place of an orderly close.</summary>
    public void ResetAtEnd() => _socket.LingerState = new LingerOption(enable: true, seconds: 0);

    public void Dispose() => _socket.Dispose();
}
