using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>Counts the messages that one connection receives.</summary>
/// <param name="link">The connection.</param>
/// <param name="counter">The counter of the messages; null for a connection that only publishes.</param>
/// <param name="errors">Receives the errors of the server.</param>
/// <param name="answered">Called for each PONG.</param>
internal struct RawSubscriber(RawLink link, BenchCounter? counter, RawErrors errors, Action? answered = null) : IRawHandler
{
    private int _messages;
    private int _last;
    private bool _isMixed;
    private long _counted;
    private long _bytes;

    public bool OnMessage(in MessageOperation operation)
    {
        int size = operation.Payload.Length;
        _isMixed |= _messages > 0 && !operation.RepeatsLine;
        _messages++;
        _last = size;
        _counted++;
        _bytes += size;
        return true;
    }

    public void OnEqual(int messages)
    {
        _counted += messages;
        _bytes += (long)messages * _last;
    }

    public int TakeEqual()
    {
        int equal = _isMixed ? 0 : _messages;
        (_messages, _isMixed) = (0, false);
        return equal;
    }

    /// <summary>Adds what was received since the last call to the counter.</summary>
    public void Count()
    {
        counter?.Count(_counted, _bytes);
        (_counted, _bytes) = (0, 0);
    }

    public bool OnInfo(ReadOnlySpan<byte> json) => Other();

    public bool OnPing()
    {
        link.AnswerPing();
        return Other();
    }

    public bool OnPong()
    {
        answered?.Invoke();
        return Other();
    }

    public bool OnOk() => Other();

    public bool OnError(ReadOnlySpan<byte> text)
    {
        errors.Refuse(text);
        return Other();
    }

    // The lengths of the messages in a read with other lines cannot be divided.
    private bool Other() => _isMixed = true;
}
