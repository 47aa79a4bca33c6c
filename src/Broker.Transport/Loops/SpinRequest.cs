namespace Broker.Transport;

/// <summary>
/// Whether a connection wants its loop to poll before the loop sleeps. The loop counts the open connections with such a
/// request. On the loop.
/// </summary>
internal struct SpinRequest
{
    private bool _isOpen;

    public SpinRequest()
    {
    }

    internal bool IsWanted { readonly get; private set; } = true;

    /// <summary>Changes the request. If the connection is open, also changes the loop's count.</summary>
    internal void Set(bool isWanted, EventLoop loop)
    {
        loop.RequireCurrent();
        if (_isOpen && isWanted != IsWanted)
        {
            loop.AddSpinning(isWanted ? 1 : -1);
        }

        IsWanted = isWanted;
    }

    /// <summary>The connection has opened.</summary>
    internal void Open(EventLoop loop)
    {
        _isOpen = true;
        loop.AddSpinning(IsWanted ? 1 : 0);
    }

    /// <summary>The connection has closed.</summary>
    internal void Close(EventLoop loop)
    {
        _isOpen = false;
        loop.AddSpinning(IsWanted ? -1 : 0);
    }
}
