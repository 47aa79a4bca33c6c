#nullable disable warnings
using System.Text;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class ExtensionCases
{
    public static void All_forms_of_sending(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            a.SendFrame([1, 2]);
            a.SendFrame([1, 2, 3], 2);
            a.SendFrame([1], true);
            a.SendFrame([2]);
            a.SendMoreFrame([3]).SendMoreFrame([4, 5], 1).SendFrame("six");
            a.SendFrame("seven", true);
            a.SendFrameEmpty(true);
            a.SendMoreFrame("eight").SendMoreFrameEmpty().SendFrameEmpty();
            t.Show("tried", a.TrySendFrame([9]) && a.TrySendFrame([9, 8], 1) && a.TrySendFrame("ten"));
            t.Show("tried", a.TrySendFrame(Ports.Soon, [11]) && a.TrySendFrame(Ports.Soon, [12, 13], 1) && a.TrySendFrame(Ports.Soon, "14"));
            t.Show("tried", a.TrySendFrameEmpty(true) && a.TrySendFrameEmpty(Ports.Soon, false));
            for (int i = 0; i < 12; i++)
            {
                t.Show("message", b.ReceiveMultipartMessage());
            }
        }
    }

    public static void All_forms_of_sending_several_frames(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            List<byte[]> list = [[1], [2, 3]];
            a.SendMultipartBytes([1], [2]);
            a.SendMultipartBytes(list);
            t.Show("tried", a.TrySendMultipartBytes([3], [4]) && a.TrySendMultipartBytes(list));
            t.Show("tried", a.TrySendMultipartBytes(Ports.Soon, [5], [6]) && a.TrySendMultipartBytes(Ports.Soon, list));
            var message = new NetMQMessage(list);
            a.SendMultipartMessage(message);
            t.Show("message stays", message);
            t.Show("tried", a.TrySendMultipartMessage(message) && a.TrySendMultipartMessage(Ports.Soon, message));
            for (int i = 0; i < 9; i++)
            {
                t.Show("message", b.ReceiveMultipartBytes());
            }

            t.Try("no frames", () => a.SendMultipartBytes());
            t.Try("no frames", () => a.SendMultipartMessage(new NetMQMessage()));
            t.Try("try no frames", () => a.TrySendMultipartMessage(new NetMQMessage()));
        }
    }

    public static void Signals(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            a.SignalOK();
            a.SignalError();
            t.Show("tried", a.TrySignalOK() && a.TrySignalError());
            t.Show("bytes", b.ReceiveFrameBytes());
            t.Show("signal", b.ReceiveSignal());
            a.SendFrame("no signal");
            t.Show("tried", b.TryReceiveSignal(out bool signal));
            t.Show("signal", signal);
            t.Show("tried", b.TryReceiveSignal(Ports.Soon, out signal));
            t.Show("signal", signal);
            t.Show("tried", b.TryReceiveSignal(TimeSpan.FromMilliseconds(20), out signal));
            t.Show("none", b.TryReceiveSignal(out signal));
        }
    }

    public static void All_forms_of_receiving_bytes(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            for (int i = 0; i < 4; i++)
            {
                a.SendMultipartBytes([1], [2], [3]);
            }

            t.Show("frame", b.ReceiveFrameBytes());
            t.Show("frame", b.ReceiveFrameBytes(out bool more));
            t.Show("more", more);
            t.Show("tried", b.TryReceiveFrameBytes(out byte[]? bytes));
            t.Show("frame", bytes);
            t.Show("tried", b.TryReceiveFrameBytes(out bytes, out more) && more);
            t.Show("tried", b.TryReceiveFrameBytes(Ports.Soon, out bytes));
            t.Show("tried", b.TryReceiveFrameBytes(Ports.Soon, out bytes, out more) && !more);
            t.Show("frame", bytes);
            List<byte[]>? frames = [[7]];
            b.ReceiveMultipartBytes(ref frames);
            t.Show("frames", frames);
            frames = null;
            t.Show("tried", b.TryReceiveMultipartBytes(ref frames));
            t.Show("frames", frames);
            t.Show("none", b.TryReceiveMultipartBytes(TimeSpan.FromMilliseconds(10), ref frames));
            t.Show("frames", frames);
            t.Show("none", b.TryReceiveFrameBytes(out bytes, out more));
            t.Show("nothing", $"{bytes is null} {more}");
        }
    }

    public static void All_forms_of_receiving_strings(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            for (int i = 0; i < 4; i++)
            {
                a.SendMoreFrame("ä").SendMoreFrame("b").SendFrame("");
            }

            t.Show("frame", b.ReceiveFrameString());
            t.Show("frame", b.ReceiveFrameString(out bool more));
            t.Show("frame", b.ReceiveFrameString(Encoding.Latin1, out more));
            t.Show("more", more);
            t.Show("frame", b.ReceiveFrameString(Encoding.Latin1));
            t.Show("tried", b.TryReceiveFrameString(out string? text));
            t.Show("tried", b.TryReceiveFrameString(out text, out more));
            t.Show("text", text);
            t.Show("tried", b.TryReceiveFrameString(Encoding.Latin1, out text));
            t.Show("text", text);
            t.Show("tried", b.TryReceiveFrameString(Encoding.Latin1, out text, out more));
            t.Show("tried", b.TryReceiveFrameString(Ports.Soon, out text));
            t.Show("tried", b.TryReceiveFrameString(Ports.Soon, out text, out more));
            t.Show("tried", b.TryReceiveFrameString(Ports.Soon, Encoding.Latin1, out text));
            t.Show("tried", b.TryReceiveFrameString(Ports.Soon, Encoding.Latin1, out text, out more));
            t.Show("text", text);
            t.Show("none", b.TryReceiveFrameString(out text, out more));
            t.Show("nothing", $"{text is null} {more}");
        }
    }

    public static void All_forms_of_receiving_several_strings(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            for (int i = 0; i < 6; i++)
            {
                a.SendMoreFrame("ä").SendFrame("b");
            }

            List<string>? frames = ["x"];
            t.Show("frames", b.ReceiveMultipartStrings());
            t.Show("frames", b.ReceiveMultipartStrings(Encoding.Latin1));
            t.Show("tried", b.TryReceiveMultipartStrings(ref frames));
            t.Show("frames", frames);
            t.Show("tried", b.TryReceiveMultipartStrings(Encoding.Latin1, ref frames));
            t.Show("frames", frames);
            t.Show("tried", b.TryReceiveMultipartStrings(Ports.Soon, ref frames));
            t.Show("tried", b.TryReceiveMultipartStrings(Ports.Soon, Encoding.Latin1, ref frames));
            t.Show("none", b.TryReceiveMultipartStrings(ref frames));
            t.Show("frames", frames);
        }
    }

    public static void All_forms_of_receiving_messages(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            for (int i = 0; i < 4; i++)
            {
                a.SendMoreFrame("a").SendFrame($"{i}");
            }

            NetMQMessage? message = new();
            message.Append("old");
            t.Show("message", b.ReceiveMultipartMessage());
            t.Show("tried", b.TryReceiveMultipartMessage(ref message));
            t.Show("message", message);
            message = null;
            t.Show("tried", b.TryReceiveMultipartMessage(Ports.Soon, ref message));
            t.Show("message", message);
            b.SkipFrame();
            t.Show("message", b.ReceiveMultipartMessage());
            t.Show("none", b.TryReceiveMultipartMessage(ref message));
            t.Show("message", message);
        }
    }

    public static void All_forms_of_skipping(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            for (int i = 0; i < 6; i++)
            {
                a.SendMoreFrame("a").SendFrame($"{i}");
            }

            b.SkipFrame();
            b.SkipFrame(out bool more);
            t.Show("more", more);
            t.Show("tried", b.TrySkipFrame() && b.TrySkipFrame(out more));
            t.Show("more", more);
            t.Show("tried", b.TrySkipFrame(Ports.Soon) && b.TrySkipFrame(Ports.Soon, out more));
            b.SkipMultipartMessage();
            t.Show("tried", b.TrySkipMultipartMessage(Ports.Soon));
            t.Show("left", Rest(b));
        }
    }

    public static void Msgs_are_sent_and_received(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            Msg msg = default;
            msg.InitGC([1, 2, 3, 4], 1, 2);
            a.Send(ref msg, true);
            t.Show("after send", $"{msg.MsgType} {msg.Size}");
            msg.InitPool(1);
            msg.Put(9);
            t.Show("tried", a.TrySend(ref msg, Ports.Soon, false));
            t.Show("after send", $"{msg.MsgType} {msg.Size}");
            b.Receive(ref msg);
            t.Show("received", $"{msg.Size} {msg.HasMore}");
            t.Show("bytes", msg.ToArray());
            t.Show("tried", b.TryReceive(ref msg, Ports.Soon));
            t.Show("received", $"{msg.Size} {msg.HasMore} {msg[0]}");
            t.Show("none", b.TryReceive(ref msg, TimeSpan.Zero));
            t.Show("emptied", $"{msg.MsgType} {msg.Size}");
            msg.Close();
            t.Try("closed", () =>
            {
                Msg closed = default;
                b.TryReceive(ref closed, TimeSpan.Zero);
            });
            t.Try("send closed", () =>
            {
                Msg closed = default;
                a.TrySend(ref closed, TimeSpan.Zero, false);
            });
        }
    }

    public static void A_failed_send_keeps_the_Msg(Transcript t)
    {
        using var push = new PushSocket();
        Msg msg = default;
        msg.InitGC([1, 2], 2);
        t.Show("sent", push.TrySend(ref msg, TimeSpan.Zero, false));
        t.Show("kept", msg.ToArray());
    }

    public static void Null_arguments(Transcript t)
    {
        Pair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            t.Try("null bytes", () => a.SendFrame((byte[])null!));
            t.Try("null text", () => a.SendFrame((string)null!));
            t.Try("null frames", () => a.SendMultipartBytes((IEnumerable<byte[]>)null!));
            t.Try("null message", () => a.SendMultipartMessage(null!));
        }
    }

    private static List<string> Rest(PairSocket socket)
    {
        var rest = new List<string>();
        while (socket.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out string? text))
        {
            rest.Add(text);
        }

        return rest;
    }

    private static void Pair(out PairSocket a, out PairSocket b) => PairSocket.CreateSocketPair(out a, out b);
}
