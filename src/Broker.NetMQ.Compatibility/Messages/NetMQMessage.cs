using System.Collections;
using System.Text;

namespace NetMQ;

/// <summary>A message of any number of frames. Not thread-safe.</summary>
public class NetMQMessage : IEnumerable<NetMQFrame>
{
    private readonly List<NetMQFrame> _frames;

    /// <summary>Creates a message without frames.</summary>
    /// <param name="expectedFrameCount">The number of frames to reserve memory for.</param>
    public NetMQMessage(int expectedFrameCount = 4) => _frames = new List<NetMQFrame>(expectedFrameCount);

    /// <summary>Creates a message of frames.</summary>
    public NetMQMessage(IEnumerable<NetMQFrame> frames)
    {
        ArgumentNullException.ThrowIfNull(frames);
        _frames = [.. frames];
    }

    /// <summary>Creates a message with one frame for each array, without a copy.</summary>
    public NetMQMessage(IEnumerable<byte[]> buffers)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        _frames = [.. buffers.Select(static buffer => new NetMQFrame(buffer))];
    }

    /// <summary>The first frame.</summary>
    public NetMQFrame First => _frames[0];

    /// <summary>The last frame.</summary>
    public NetMQFrame Last => _frames[^1];

    /// <summary>Whether the message has no frames.</summary>
    public bool IsEmpty => _frames.Count == 0;

    /// <summary>The number of frames.</summary>
    public int FrameCount => _frames.Count;

    /// <summary>The frame at a position.</summary>
    public NetMQFrame this[int index] => _frames[index];

    /// <summary>Adds a frame at the end.</summary>
    public void Append(NetMQFrame frame) => _frames.Add(frame);

    /// <summary>Adds an array as a frame at the end, without a copy.</summary>
    public void Append(byte[] buffer) => Append(new NetMQFrame(buffer));

    /// <summary>Adds a string in ASCII at the end.</summary>
    public void Append(string message) => Append(new NetMQFrame(message));

    /// <summary>Adds a string at the end.</summary>
    public void Append(string message, Encoding encoding) => Append(new NetMQFrame(message, encoding));

    /// <summary>Adds a number of four bytes at the end, the most significant byte first.</summary>
    public void Append(int value) => Append(NetworkOrderBitsConverter.GetBytes(value));

    /// <summary>Adds a number of eight bytes at the end, the most significant byte first.</summary>
    public void Append(long value) => Append(NetworkOrderBitsConverter.GetBytes(value));

    /// <summary>Adds a frame without bytes at the end.</summary>
    public void AppendEmptyFrame() => Append(NetMQFrame.Empty);

    /// <summary>Adds a frame at the beginning.</summary>
    public void Push(NetMQFrame frame) => _frames.Insert(0, frame);

    /// <summary>Adds an array as a frame at the beginning, without a copy.</summary>
    public void Push(byte[] buffer) => Push(new NetMQFrame(buffer));

    /// <summary>Adds a string in ASCII at the beginning.</summary>
    public void Push(string message) => Push(new NetMQFrame(message));

    /// <summary>Adds a string at the beginning.</summary>
    public void Push(string message, Encoding encoding) => Push(new NetMQFrame(message, encoding));

    /// <summary>Adds a number of four bytes at the beginning, the most significant byte first.</summary>
    public void Push(int value) => Push(NetworkOrderBitsConverter.GetBytes(value));

    /// <summary>Adds a number of eight bytes at the beginning, the most significant byte first.</summary>
    public void Push(long value) => Push(NetworkOrderBitsConverter.GetBytes(value));

    /// <summary>Adds a frame without bytes at the beginning.</summary>
    public void PushEmptyFrame() => Push(NetMQFrame.Empty);

    /// <summary>Removes the first frame and returns it.</summary>
    public NetMQFrame Pop()
    {
        NetMQFrame first = _frames[0];
        _frames.RemoveAt(0);
        return first;
    }

    /// <summary>Removes the first frame that is equal to a frame.</summary>
    /// <returns>False if there is none.</returns>
    public bool RemoveFrame(NetMQFrame frame) => _frames.Remove(frame);

    /// <summary>Removes all frames.</summary>
    public void Clear() => _frames.Clear();

    /// <summary>Enumerates the frames.</summary>
    public IEnumerator<NetMQFrame> GetEnumerator() => _frames.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Returns the frames as strings, for logs.</summary>
    public override string ToString() => IsEmpty
        ? "NetMQMessage[<no frames>]"
        : $"NetMQMessage[{string.Join(',', _frames.Select(static frame => frame.ConvertToString()))}]";
}
