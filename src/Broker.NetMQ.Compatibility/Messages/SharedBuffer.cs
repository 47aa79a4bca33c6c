namespace NetMQ;

/// <summary>Counts the messages that use the same pooled array.</summary>
internal sealed class SharedBuffer
{
    private int _users = 1;

    public void Add(int users) => Interlocked.Add(ref _users, users);

    /// <summary>Returns whether no message uses the array any more.</summary>
    public bool Remove(int users) => Interlocked.Add(ref _users, -users) == 0;
}
