#nullable disable warnings
using System.Text;
using NetMQ;

namespace Broker.NetMQCases;

internal static class FrameCases
{
    public static void Frames_are_made_of_bytes_strings_and_sizes(Transcript t)
    {
        byte[] bytes = [1, 2, 3];
        var whole = new NetMQFrame(bytes);
        t.Show("same array", ReferenceEquals(whole.Buffer, bytes));
        t.Show("sizes", $"{whole.MessageSize} {whole.BufferSize} {whole.IsEmpty}");
        var part = new NetMQFrame(bytes, 2);
        t.Show("part", part);
        t.Show("sizes", $"{part.MessageSize} {part.BufferSize}");
        t.Show("text", new NetMQFrame("hé").ToByteArray());
        t.Show("latin", new NetMQFrame("hé", Encoding.Latin1).ToByteArray());
        t.Show("zeros", new NetMQFrame(2).ToByteArray());
        t.Show("empty", NetMQFrame.Empty.IsEmpty);
        t.Show("new empty", ReferenceEquals(NetMQFrame.Empty, NetMQFrame.Empty));
        t.Show("null", new NetMQFrame((byte[])null!).MessageSize);
        t.Try("null text", () => new NetMQFrame((string)null!).MessageSize);
        t.Try("null encoding", () => new NetMQFrame("x", null!).MessageSize);
        t.Try("too long", () => new NetMQFrame(bytes, 4).MessageSize);
        t.Try("negative", () => new NetMQFrame(bytes, -1).MessageSize);
        t.Try("negative size", () => new NetMQFrame(-1).MessageSize);
    }

    public static void The_size_of_a_frame_can_change(Transcript t)
    {
        var frame = new NetMQFrame([1, 2, 3]) { MessageSize = 1 };
        t.Show("shorter", frame);
        t.Show("array", frame.ToByteArray());
        t.Try("negative", () => frame.MessageSize = -1);
        t.Try("too long", () => frame.MessageSize = 4);
    }

    public static void Frames_convert(Transcript t)
    {
        t.Show("string", new NetMQFrame("héllo").ConvertToString());
        t.Show("latin", new NetMQFrame("héllo", Encoding.Latin1).ConvertToString(Encoding.Latin1));
        t.Show("int", new NetMQFrame([1, 2, 3, 4]).ConvertToInt32());
        t.Show("long", new NetMQFrame([1, 2, 3, 4, 5, 6, 7, 8]).ConvertToInt64());
        t.Try("short int", () => new NetMQFrame([1]).ConvertToInt32());
        t.Try("null encoding", () => new NetMQFrame([1]).ConvertToString(null!));
        t.Show("span", new NetMQFrame([1, 2], 1).AsSpan().Length);
    }

    public static void Frames_are_copied(Transcript t)
    {
        byte[] bytes = [1, 2, 3];
        var frame = new NetMQFrame(bytes);
        t.Show("own array", ReferenceEquals(frame.ToByteArray(), bytes));
        t.Show("copied array", ReferenceEquals(frame.ToByteArray(copy: true), bytes));
        var copy = NetMQFrame.Copy(bytes);
        var second = NetMQFrame.Copy(frame);
        NetMQFrame third = frame.Duplicate();
        bytes[0] = 9;
        t.Show("copies", $"{copy.ToByteArray()[0]} {second.ToByteArray()[0]} {third.ToByteArray()[0]}");
        NetMQFrame part = new NetMQFrame([1, 2, 3], 2).Duplicate();
        t.Show("duplicate of a part", $"{part.MessageSize} {part.BufferSize}");
        t.Show("exact", new NetMQFrame([1, 2, 3], 2).ToByteArray(copy: true));
        t.Show("copied part", NetMQFrame.Copy(new NetMQFrame([1, 2, 3], 2)).MessageSize);
        t.Try("copy of null", () => NetMQFrame.Copy((byte[])null!));
        t.Try("copy of no frame", () => NetMQFrame.Copy((NetMQFrame)null!));
    }

    public static void Frames_are_equal_by_their_bytes(Transcript t)
    {
        var frame = new NetMQFrame([1, 2, 3], 2);
        var same = new NetMQFrame([1, 2]);
        t.Show("equal", frame == same);
        t.Show("unequal", frame != same);
        t.Show("other", frame == new NetMQFrame([1, 3]));
        t.Show("null", frame == null!);
        t.Show("both null", (NetMQFrame)null! == null!);
        t.Show("bytes", frame.Equals([1, 2]));
        t.Show("null bytes", frame.Equals((byte[])null!));
        t.Show("typed", frame.Equals(same));
        t.Show("object", frame.Equals((object)same));
        t.Show("other object", frame.Equals("12"));
        t.Show("hash", new NetMQFrame([1, 2]).GetHashCode() == same.GetHashCode());
    }

    public static void Messages_are_made_of_frames(Transcript t)
    {
        var message = new NetMQMessage();
        t.Show("new", $"{message.IsEmpty} {message.FrameCount}");
        message.Append("two");
        message.Append([3]);
        message.Append(4);
        message.Append(5L);
        message.Append(new NetMQFrame("six"));
        message.Append("é", Encoding.Latin1);
        message.AppendEmptyFrame();
        message.Push("one");
        message.Push([0]);
        message.Push(-1);
        message.Push(-2L);
        message.Push(new NetMQFrame("frame"));
        message.Push("é", Encoding.Latin1);
        message.PushEmptyFrame();
        t.Show("message", message);
        t.Show("count", message.FrameCount);
        t.Show("first", message.First);
        t.Show("last", message.Last);
        t.Show("third", message[2]);
        t.Show("popped", message.Pop());
        t.Show("removed", message.RemoveFrame(new NetMQFrame("six")));
        t.Show("not removed", message.RemoveFrame(new NetMQFrame("seven")));
        t.Show("message", message);
        message.Clear();
        t.Show("cleared", message);
    }

    public static void Messages_of_collections(Transcript t)
    {
        t.Show("frames", new NetMQMessage([new NetMQFrame("a"), new NetMQFrame("b")]));
        t.Show("arrays", new NetMQMessage(new List<byte[]> { new byte[] { 1 }, new byte[] { 2, 3 } }));
        t.Show("capacity", new NetMQMessage(10).FrameCount);
        t.Try("negative", () => new NetMQMessage(-1).FrameCount);
        t.Try("no frames", () => new NetMQMessage((IEnumerable<NetMQFrame>)null!).FrameCount);
        t.Try("no arrays", () => new NetMQMessage((IEnumerable<byte[]>)null!).FrameCount);
        t.Show("text", new NetMQMessage([new NetMQFrame("a"), new NetMQFrame("b")]).ToString());
        t.Show("empty text", new NetMQMessage().ToString());
    }

    public static void An_empty_message_has_no_first_frame(Transcript t)
    {
        var message = new NetMQMessage();
        t.Try("first", () => message.First);
        t.Try("last", () => message.Last);
        t.Try("item", () => message[0]);
        t.Try("pop", () => message.Pop());
        t.Try("null frame", () => message.Append((NetMQFrame)null!));
        t.Try("null push", () => message.Push((NetMQFrame)null!));
        t.Try("null text", () => message.Append((string)null!));
        t.Show("count", message.FrameCount);
    }

    public static void Numbers_convert_in_network_order(Transcript t)
    {
        byte[] bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        t.Show("int16", NetworkOrderBitsConverter.ToInt16(bytes));
        t.Show("uint16", NetworkOrderBitsConverter.ToUInt16(bytes, 3));
        t.Show("uint16 span", NetworkOrderBitsConverter.ToUInt16(bytes.AsSpan(), 2));
        t.Show("int32", NetworkOrderBitsConverter.ToInt32(bytes, 1));
        t.Show("int32 span", NetworkOrderBitsConverter.ToInt32(bytes.AsSpan()));
        t.Show("int64", NetworkOrderBitsConverter.ToInt64(bytes));
        t.Show("int64 span", NetworkOrderBitsConverter.ToInt64(bytes.AsSpan(2)));
        t.Show("uint64", NetworkOrderBitsConverter.ToUInt64(bytes, 1));
        t.Show("uint64 span", NetworkOrderBitsConverter.ToUInt64(bytes.AsSpan(), 2));
        t.Show("bytes", NetworkOrderBitsConverter.GetBytes((short)-2));
        t.Show("bytes", NetworkOrderBitsConverter.GetBytes(-3));
        t.Show("bytes", NetworkOrderBitsConverter.GetBytes(-4L));
        t.Try("short buffer", () => NetworkOrderBitsConverter.ToInt32([1, 2, 3]));
    }

    public static void Numbers_are_written_in_network_order(Transcript t)
    {
        byte[] bytes = new byte[10];
        NetworkOrderBitsConverter.PutInt16(-2, bytes);
        t.Show("int16", bytes);
        NetworkOrderBitsConverter.PutUInt16(300, bytes, 2);
        t.Show("uint16", bytes);
        NetworkOrderBitsConverter.PutUInt16(301, bytes.AsSpan(), 4);
        t.Show("uint16 span", bytes);
        NetworkOrderBitsConverter.PutInt32(70000, bytes, 6);
        t.Show("int32", bytes);
        NetworkOrderBitsConverter.PutInt32(70001, bytes.AsSpan());
        t.Show("int32 span", bytes);
        NetworkOrderBitsConverter.PutInt64(-5, bytes);
        t.Show("int64", bytes);
        NetworkOrderBitsConverter.PutInt64(-6, bytes.AsSpan(1));
        t.Show("int64 span", bytes);
        NetworkOrderBitsConverter.PutUInt64(7, bytes, 2);
        t.Show("uint64", bytes);
        NetworkOrderBitsConverter.PutUInt64(8, bytes.AsSpan());
        t.Show("uint64 span", bytes);
    }

    public static void Routing_keys(Transcript t)
    {
        var key = new RoutingKey([1, 2, 3]);
        t.Show("text", key.ToString());
        t.Show("of text", new RoutingKey("AQID").Equals(key));
        t.Show("of number", new RoutingKey(258L).ToString());
        t.Show("bytes", key.Equals([1, 2, 3]));
        t.Show("other bytes", key.Equals([1, 2]));
        t.Show("object", key.Equals((object)new RoutingKey("AQID")));
        t.Show("null", key.Equals((object)null!));
        t.Show("hash", key.GetHashCode() == new RoutingKey("AQID").GetHashCode());
        t.Try("bad text", () => new RoutingKey("*").ToString());
    }

    public static void Buffers_of_the_default_pool(Transcript t)
    {
        byte[] buffer = BufferPool.Take(10);
        t.Show("size", buffer.Length);
        BufferPool.Return(buffer);
        var own = new GCBufferPool();
        t.Show("size", own.Take(3).Length);
        own.Return([1]);
        var pool = new BufferManagerBufferPool(1000, 100);
        byte[] pooled = pool.Take(64);
        t.Show("size", pooled.Length >= 64);
        pool.Return(pooled);
        t.Try("dispose", () => own.Dispose());
        t.Try("dispose", () => pool.Dispose());
    }

    public static void Constants(Transcript t)
    {
        t.Show("encoding", SendReceiveConstants.DefaultEncoding.WebName);
        t.Show("timeout", SendReceiveConstants.InfiniteTimeout.TotalMilliseconds);
    }
}
