using System.Text;
using NetMQ;

namespace Broker.NetMQCases;

internal static class MsgCases
{
    public static void A_new_Msg_is_not_initialised(Transcript t)
    {
        Msg msg = default;
        ShowState(t, msg);
        t.Try("close", () => msg.Close());
        t.Try("copy of it", () =>
        {
            Msg other = default;
            other.InitEmpty();
            other.Copy(ref msg);
            ShowState(t, other);
        });
        t.Try("move of it", () =>
        {
            Msg other = default;
            other.InitEmpty();
            other.Move(ref msg);
        });
    }

    public static void An_empty_Msg(Transcript t)
    {
        Msg msg = default;
        msg.InitEmpty();
        ShowState(t, msg);
        t.Show("bytes", msg.ToArray());
        t.Show("clone", msg.CloneData());
        t.Show("span", msg.Slice().Length);
        t.Show("memory", msg.SliceAsMemory().Length);
        msg.Close();
        ShowState(t, msg);
        t.Try("second close", () => msg.Close());
    }

    public static void A_pooled_Msg(Transcript t)
    {
        Msg msg = default;
        msg.InitPool(5);
        ShowState(t, msg);
        msg.Put([1, 2, 3, 4, 5], 0, 5);
        t.Show("all", msg.ToArray());
        msg.Put([9, 8, 7], 1, 2, 1);
        t.Show("part", msg.ToArray());
        msg.Put(6);
        msg.Put(7, 4);
        t.Show("single", msg.CloneData());
        msg.Put(Encoding.ASCII, "ab", 2);
        t.Show("text", msg.ToArray());
        msg.Put([1, 1], 3);
        t.Show("span", msg.ToArray());
        msg.Put(null, 0, 3);
        t.Show("null", msg.ToArray());
        t.Show("string", msg.GetString(Encoding.Latin1));
        t.Show("part of string", msg.GetString(Encoding.Latin1, 2, 1));
        t.Show("slice", msg.Slice(2).ToArray());
        t.Show("shorter slice", msg.Slice(1, 2).ToArray());
        t.Show("memory", msg.SliceAsMemory().ToArray());
        t.Show("item", msg[2]);
        msg[2] = 200;
        t.Show("changed item", msg[2]);
        byte[] copy = new byte[6];
        msg.CopyTo(copy);
        t.Show("copied", copy);
        ReadOnlySpan<byte> read = msg;
        Span<byte> write = msg;
        t.Show("conversions", read.SequenceEqual(write));
        int sum = 0;
        foreach (byte each in msg)
        {
            sum += each;
        }

        t.Show("enumerated", sum);
        msg.Close();
        ShowState(t, msg);
    }

    public static void Bounds_of_a_Msg(Transcript t)
    {
        Msg msg = default;
        msg.InitGC(new byte[10], 2, 4);
        t.Try("slice beyond", () => msg.Slice(5).Length);
        t.Try("long slice", () => msg.Slice(2, 5).Length);
        t.Try("short copy", () => msg.CopyTo(new byte[3]));
        t.Try("trim beyond", () => msg.TrimPrefix(5));
        t.Try("negative trim", () => msg.TrimPrefix(-1));
        t.Try("negative pool", () =>
        {
            Msg other = default;
            other.InitPool(-1);
        });
    }

    public static void A_Msg_over_a_part_of_an_array(Transcript t)
    {
        Msg msg = default;
        byte[] data = [1, 2, 3, 4, 5, 6];
        msg.InitGC(data, 1, 4);
        ShowState(t, msg);
        t.Show("bytes", msg.ToArray());
        Msg none = default;
        none.InitGC([], 0);
        ShowState(t, none);
        none.InitPool(0);
        ShowState(t, none);
        msg.TrimPrefix(1);
        t.Show("trimmed", msg.ToArray());
        t.Show("size", msg.Size);
        msg.Put(99);
        t.Show("array", data);
#pragma warning disable CS0618 // Old programs use these members.
        t.Show("offset", msg.Offset);
        t.Show("data", ReferenceEquals(msg.Data, data));
#pragma warning restore CS0618
        msg.Close();
        msg.InitGC(data, 3);
        t.Show("first three", msg.ToArray());
        t.Show("item", msg[1]);
    }

    public static void Flags_of_a_Msg(Transcript t)
    {
        Msg msg = default;
        msg.InitEmpty();
        msg.SetFlags(MsgFlags.More | MsgFlags.Identity);
        ShowState(t, msg);
        msg.ResetFlags(MsgFlags.Identity);
        ShowState(t, msg);
        msg.SetFlags(MsgFlags.Command);
        t.Show("command", msg.Flags);
        msg.InitDelimiter();
        ShowState(t, msg);
    }

    public static void Copies_of_a_pooled_Msg(Transcript t)
    {
        Msg first = default;
        first.InitPool(3);
        first.Put([1, 2, 3], 0, 3);
        Msg second = default;
        second.InitEmpty();
        second.Copy(ref first);
        ShowState(t, first);
        ShowState(t, second);
        t.Show("same bytes", second.ToArray());
        first.Close();
        ShowState(t, second);
        second.Close();
        ShowState(t, second);
    }

    public static void A_copy_of_an_array_is_not_shared(Transcript t)
    {
        Msg first = default;
        first.InitGC([1, 2], 2);
        Msg second = default;
        second.Copy(ref first);
        ShowState(t, second);
        t.Show("bytes", second.ToArray());
        second.Close();
        ShowState(t, first);
    }

    public static void A_moved_Msg_is_empty(Transcript t)
    {
        Msg first = default;
        first.InitPool(3);
        first.SetFlags(MsgFlags.More);
        Msg second = default;
        second.InitPool(1);
        second.Move(ref first);
        ShowState(t, first);
        ShowState(t, second);
    }

    public static void References_of_a_Msg(Transcript t)
    {
        Msg msg = default;
        msg.InitPool(3);
        msg.AddReferences(2);
        ShowState(t, msg);
        msg.RemoveReferences(0);
        ShowState(t, msg);
        msg.RemoveReferences(2);
        t.Show("initialised", msg.IsInitialised);
        Msg single = default;
        single.InitPool(3);
        single.RemoveReferences(1);
        ShowState(t, single);
        Msg array = default;
        array.InitGC([1], 1);
        array.AddReferences(2);
        ShowState(t, array);
    }

    public static void A_Msg_has_a_group_and_a_routing_id(Transcript t)
    {
        Msg msg = default;
        msg.InitEmpty();
        t.Show("group", msg.Group);
        t.Show("routing id", msg.RoutingId);
        msg.Group = "news";
        msg.RoutingId = 7;
        t.Show("group", msg.Group);
        t.Show("routing id", msg.RoutingId);
        t.Show("join", msg.IsJoin);
        t.Show("leave", msg.IsLeave);
        t.Try("long group", () => msg.Group = new string('g', Msg.MaxGroupLength + 1));
        t.Show("text", msg.ToString());
    }

    private static void ShowState(Transcript t, Msg msg) => t.Show("state", $"{msg.MsgType} size {msg.Size} flags {msg.Flags} "
        + $"{(msg.IsEmpty ? "empty " : "")}{(msg.IsInitialised ? "ready " : "")}{(msg.IsDelimiter ? "delimiter " : "")}"
        + $"{(msg.HasMore ? "more " : "")}{(msg.IsShared ? "shared " : "")}{(msg.IsIdentity ? "identity" : "")}");
}
