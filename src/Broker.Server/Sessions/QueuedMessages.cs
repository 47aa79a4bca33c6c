using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>Drops the messages of a queue and counts them; answers such as PONG and -ERR stay.</summary>
internal struct QueuedMessages : IQueueFilter, IServerOperationHandler
{
    private bool _isMessage;

    internal long Dropped { get; private set; }

    public int Keep(Span<byte> written)
    {
        // The lines are our own, so no limit is wanted.
        var parser = new ServerOperationParser(new ParserLimits(int.MaxValue / 2, int.MaxValue / 2));
        int kept = 0;
        int at = 0;
        while (at < written.Length)
        {
            int needed = 0;
            _isMessage = false;
            int length = parser.Parse(written[at..], ref this, ref needed, out _);
            if (length == 0)
            {
                // Not whole, which no writer does: better kept than cut.
                length = written.Length - at;
            }

            if (_isMessage)
            {
                Dropped++;
            }
            else
            {
                written.Slice(at, length).CopyTo(written[kept..]);
                kept += length;
            }

            at += length;
        }

        return kept;
    }

    // False after each operation: the parser then says where it ends.
    public bool OnMessage(in MessageOperation operation)
    {
        _isMessage = true;
        return false;
    }

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => false;

    public readonly bool OnPing() => false;

    public readonly bool OnPong() => false;

    public readonly bool OnOk() => false;

    public readonly bool OnError(ReadOnlySpan<byte> text) => false;
}
