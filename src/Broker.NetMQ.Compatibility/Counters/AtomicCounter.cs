namespace NetMQ.Core.Utils;

/// <summary>A number that several threads change. It counts the frames that use the same pooled array.</summary>
public sealed class AtomicCounter
{
    private int _value;

    /// <summary>Creates a counter at zero.</summary>
    public AtomicCounter()
    {
    }

    /// <summary>Sets the number.</summary>
    public void Set(int amount) => Volatile.Write(ref _value, amount);

    /// <summary>Adds to the number.</summary>
    public void Increase(int amount) => Interlocked.Add(ref _value, amount);

    /// <summary>Subtracts from the number. Returns the result.</summary>
    public int Decrement(int amount = 1) => Interlocked.Add(ref _value, -amount);
}
