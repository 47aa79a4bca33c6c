using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Interop.Tests.Harness;

/// <summary>A TCP connection that sends given bytes and reads until the other side closes.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly Socket _socket;

    private RawConnection(Socket socket) => _socket = socket;

    public static async Task<RawConnection> OpenAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, port, TestContext.Current.CancellationToken);
        return new RawConnection(socket);
    }

    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    /// <summary>Sends the bytes, or as many as possible before the other side closes.</summary>
    public async Task SendAsync(byte[] bytes)
    {
        try
        {
            for (int sent = 0; sent < bytes.Length;)
            {
                sent += await _socket.SendAsync(bytes.AsMemory(sent), TestContext.Current.CancellationToken);
            }
        }
        catch (SocketException)
        {
            // The other side has closed while sending. The reader then sees the end.
        }
    }

    /// <summary>Reads up to 1 MiB until the other side closes, which must happen in time.</summary>
    public async Task<string> ReadToCloseAsync()
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(Wait.Limit);
        var text = new StringBuilder();
        byte[] buffer = new byte[16 * 1024];
        try
        {
            while (text.Length < 1024 * 1024 && await _socket.ReceiveAsync(buffer, timeout.Token) is > 0 and var count)
            {
                text.Append(Encoding.Latin1.GetString(buffer, 0, count));
            }
        }
        catch (SocketException)
        {
            // A reset is also a close.
        }

        return text.ToString();
    }

    /// <summary>Reads the number of bytes, which must arrive in time.</summary>
    public async Task SkipAsync(long count)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(Wait.Limit);
        byte[] buffer = new byte[64 * 1024];
        while (count > 0)
        {
            int read = await _socket.ReceiveAsync(buffer.AsMemory(0, (int)Math.Min(count, buffer.Length)), timeout.Token);
            Assert.NotEqual(0, read);
            count -= read;
        }
    }

    /// <summary>Counts the bytes until the other side closes, which must happen in time.</summary>
    public async Task<int> CountToCloseAsync()
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(Wait.Limit);
        byte[] buffer = new byte[64 * 1024];
        int total = 0;
        while (await _socket.ReceiveAsync(buffer, timeout.Token) is > 0 and var count)
        {
            total += count;
        }

        return total;
    }

    /// <summary>Reads and discards everything until the connection ends or is disposed.</summary>
    public async Task DiscardAsync()
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (await _socket.ReceiveAsync(buffer, TestContext.Current.CancellationToken) > 0)
            {
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The test has ended, or the broker has closed the connection.
        }
    }

    /// <summary>Reads and discards the number of bytes.</summary>
    public async Task ReadExactlyAsync(int count)
    {
        byte[] buffer = new byte[64 * 1024];
        while (count > 0)
        {
            int some = await _socket.ReceiveAsync(buffer.AsMemory(0, Math.Min(count, buffer.Length)), TestContext.Current.CancellationToken);
            Assert.True(some > 0, "the broker closed in the middle");
            count -= some;
        }
    }

    /// <summary>
    /// Reads the available bytes. Returns true if the other side has closed, and not only stopped sending.
    /// </summary>
    public async Task<bool> EndsAsync()
    {
        try
        {
            await CountToCloseAsync();
            return true;
        }
        catch (SocketException)
        {
            // A reset is also an end.
            return true;
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Reads until the text has arrived, and returns everything that was read.</summary>
    public async Task<string> ReadToAsync(string end)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(Wait.Limit);
        var text = new StringBuilder();
        byte[] buffer = new byte[16 * 1024];
        // Searches only the new bytes, and those before them in which the text may begin.
        for (int looked = 0; !text.ToString(looked, text.Length - looked).Contains(end, StringComparison.Ordinal);)
        {
            looked = Math.Max(looked, text.Length - end.Length + 1);
            int count = await _socket.ReceiveAsync(buffer, timeout.Token);
            Assert.True(count > 0, $"the broker closed after \"{text}\"");
            text.Append(Encoding.Latin1.GetString(buffer, 0, count));
        }

        return text.ToString();
    }

    public void Dispose() => _socket.Dispose();
}
