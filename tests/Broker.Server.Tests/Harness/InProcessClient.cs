using System.Text;
using Broker.Transport;

namespace Broker.Server.Tests.Harness;

/// <summary>An in-process client that stores what it receives. It can be paused.</summary>
internal sealed class InProcessClient : ConnectionHandler
{
    private readonly StringBuilder _text = new();
    private readonly TaskCompletionSource<CloseReason> _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();

    internal Task<CloseReason> Closed => _closed.Task;

    /// <summary>The received text without PINGs, which the server sends after two seconds.</summary>
    internal string Text
    {
        get
        {
            lock (_gate)
            {
                return _text.ToString().Replace("PING\r\n", "", StringComparison.Ordinal);
            }
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        lock (_gate)
        {
            _text.Append(Encoding.Latin1.GetString(bytes));
        }

        return bytes.Length;
    }

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => _closed.TrySetResult(reason);
}
