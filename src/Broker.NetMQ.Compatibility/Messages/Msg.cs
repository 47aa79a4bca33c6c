using NetMQ.Core.Utils;

namespace NetMQ;

/// <summary>
/// One frame of a message. A frame must be initialised before it is used, and closed after it. A socket that has sent
/// a frame leaves an empty frame behind.
/// </summary>
/// <remarks>
/// The bytes of a pooled frame go back to the <see cref="BufferPool"/> when the last copy of the frame is closed. Not
/// thread-safe.
/// </remarks>
public partial struct Msg
{
    /// <summary>The most bytes in the name of a group.</summary>
    public const int MaxGroupLength = 255;

    private byte[]? _data;
    private int _offset;
    private AtomicCounter? _users;
    private string? _group;

    /// <summary>The number of bytes.</summary>
    public int Size { get; private set; }

    /// <summary>Whether the frame has no bytes. A closed frame has none.</summary>
    public readonly bool IsEmpty => _data is null || Size == 0;

    /// <summary>Whether the frame joins a group.</summary>
    public readonly bool IsJoin => MsgType == MsgType.Join;

    /// <summary>Whether the frame leaves a group.</summary>
    public readonly bool IsLeave => MsgType == MsgType.Leave;

    /// <summary>The position of the first byte in <see cref="Data"/>.</summary>
    [Obsolete("Use Slice, which begins at the first byte.")]
    public readonly int Offset => _offset;

    /// <summary>The kind of memory that contains the bytes.</summary>
    public MsgType MsgType { get; private set; }

    /// <summary>Whether the frame is a delimiter.</summary>
    public readonly bool IsDelimiter => MsgType == MsgType.Delimiter;

    /// <summary>Whether the frame is initialised and not closed.</summary>
    public readonly bool IsInitialised => MsgType != MsgType.Uninitialised;

    /// <summary>The flags.</summary>
    public MsgFlags Flags { get; private set; }

    /// <summary>Whether more frames of the same message follow.</summary>
    public readonly bool HasMore => (Flags & MsgFlags.More) != MsgFlags.None;

    /// <summary>Whether other frames use the same pooled array.</summary>
    public readonly bool IsShared => (Flags & MsgFlags.Shared) != MsgFlags.None;

    /// <summary>Whether the frame is a routing id.</summary>
    public readonly bool IsIdentity => (Flags & MsgFlags.Identity) != MsgFlags.None;

    /// <summary>The number that a SERVER socket knows the peer by.</summary>
    public uint RoutingId { readonly get; set; }

    /// <summary>The group of the frame.</summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The name is longer than <see cref="MaxGroupLength"/> bytes.
    /// </exception>
    public string Group
    {
        readonly get => _group!;
        set
        {
            if (value is not null)
            {
                ArgumentOutOfRangeException.ThrowIfGreaterThan(value.Length, MaxGroupLength, nameof(value));
            }

            _group = value;
        }
    }

    /// <summary>The array with the bytes, which may be longer than the frame.</summary>
    [Obsolete("Use Slice, which begins at the first byte and ends at the last.")]
    public readonly byte[]? Data => _data;

    /// <summary>One byte of the frame.</summary>
    public readonly byte this[int index]
    {
        get => Bytes[index];
        set => Bytes[index] = value;
    }

    private readonly Span<byte> Bytes => _data.AsSpan(_offset, Size);

    /// <summary>Sets flags and keeps the others.</summary>
    public void SetFlags(MsgFlags flags) => Flags |= flags;

    /// <summary>Clears flags and keeps the others.</summary>
    public void ResetFlags(MsgFlags flags) => Flags &= ~flags;

    /// <summary>Makes this a frame without bytes.</summary>
    public void InitEmpty() => Init(MsgType.Empty, null, 0, 0);

    /// <summary>Makes this a delimiter.</summary>
    public void InitDelimiter() => Init(MsgType.Delimiter, null, 0, 0);

    /// <summary>Takes an array from the <see cref="BufferPool"/>.</summary>
    /// <param name="size">The number of bytes.</param>
    public void InitPool(int size) => Init(MsgType.Pool, BufferPool.Take(size), 0, size);

    /// <summary>Uses an array that was taken from the <see cref="BufferPool"/>, and returns it there.</summary>
    internal void InitPool(byte[] taken, int size) => Init(MsgType.Pool, taken, 0, size);

    /// <summary>Uses an array of the program, which must not change until the frame is closed or sent.</summary>
    /// <param name="data">The array.</param>
    /// <param name="size">The number of bytes from the beginning of the array.</param>
    public void InitGC(byte[] data, int size) => Init(MsgType.GC, data, 0, size);

    /// <summary>Uses a part of an array of the program.</summary>
    /// <param name="data">The array.</param>
    /// <param name="offset">The position of the first byte.</param>
    /// <param name="size">The number of bytes.</param>
    public void InitGC(byte[] data, int offset, int size) => Init(MsgType.GC, data, offset, size);

    /// <summary>Ends the use of the bytes. The frame must be initialised again before its next use.</summary>
    /// <exception cref="FaultException">The frame is not initialised.</exception>
    public void Close()
    {
        if (!IsInitialised)
        {
            throw new FaultException();
        }

        if (MsgType == MsgType.Pool && RemoveUsers(1))
        {
            BufferPool.Return(_data!);
        }

        Clear();
    }

    /// <summary>Adds users of a pooled array. Each must close its copy of the frame.</summary>
    /// <param name="amount">The number of users.</param>
    public void AddReferences(int amount)
    {
        if (amount != 0 && MsgType == MsgType.Pool)
        {
            if (_users is null)
            {
                _users = AtomicCounterPool.Take();
                _users.Set(1);
            }

            _users.Increase(amount);
            Flags |= MsgFlags.Shared;
        }
    }

    /// <summary>Removes users of a pooled array.</summary>
    /// <param name="amount">The number of users.</param>
    public void RemoveReferences(int amount)
    {
        if (amount == 0)
        {
            return;
        }

        if (_users is null || !IsShared)
        {
            Close();
        }
        else if (RemoveUsers(amount))
        {
            BufferPool.Return(_data!);
            Clear();
        }
    }

    /// <summary>
    /// Makes this frame a copy of another. Both use the same bytes, and each must be closed.
    /// </summary>
    /// <param name="src">The other frame.</param>
    /// <exception cref="FaultException">The other frame is not initialised.</exception>
    public void Copy(ref Msg src)
    {
        if (!src.IsInitialised)
        {
            throw new FaultException();
        }

        if (IsInitialised)
        {
            Close();
        }

        src.AddReferences(1);
        this = src;
    }

    /// <summary>Takes the bytes of another frame, which is empty afterwards.</summary>
    /// <param name="src">The other frame.</param>
    /// <exception cref="FaultException">The other frame is not initialised.</exception>
    public void Move(ref Msg src)
    {
        if (!src.IsInitialised)
        {
            throw new FaultException();
        }

        if (IsInitialised)
        {
            Close();
        }

        this = src;
        src.InitEmpty();
    }

    /// <summary>Removes bytes from the beginning.</summary>
    /// <param name="count">The number of bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException">The frame has fewer bytes.</exception>
    public void TrimPrefix(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Size);
        _offset += count;
        Size -= count;
    }

    /// <summary>The type of the frame, its size and its flags, for logs and debuggers.</summary>
    public override readonly string ToString() => $"NetMQ.Msg[{MsgType},{Size},{Flags}]";

    /// <summary>The whole content of a frame, which the caller has initialised.</summary>
    internal readonly ReadOnlySpan<byte> Content => Bytes;

    /// <summary>
    /// Returns the bytes as an array of the caller's own. An array that no pool keeps and no other
    /// frame uses needs no copy.
    /// </summary>
    internal byte[] TakeBytes() => MsgType == MsgType.Pool && _users is null && BufferPool.KeepsNothing
        && _offset == 0 && _data!.Length == Size ? _data : ToArray();

    // Returns whether no frame uses the pooled array any more.
    private readonly bool RemoveUsers(int amount)
    {
        if (_users is null)
        {
            return true;
        }

        if (_users.Decrement(amount) != 0)
        {
            return false;
        }

        AtomicCounterPool.Return(_users);
        return true;
    }

    private void Init(MsgType type, byte[]? data, int offset, int size)
    {
        MsgType = type;
        Flags = MsgFlags.None;
        _data = data;
        _offset = offset;
        Size = size;
        _users = null;
    }

    // The size and the flags of a closed frame stay readable.
    private void Clear()
    {
        MsgType = MsgType.Uninitialised;
        _data = null;
        _users = null;
    }
}
