using System.Text;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

/// <summary>SERVER, PEER, RADIO and DISH: sockets that say who gets a message.</summary>
internal static class AddressedCases
{
    public static void A_server_answers_in_each_form(Transcript t)
    {
        using var server = new ServerSocket();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        using var client = new ClientSocket();
        client.Connect($"tcp://127.0.0.1:{port}");
        client.Send("first");
        (uint id, string text) = server.ReceiveString();
        t.Show("first", $"{id != 0} {text}");
        byte[] data = [1, 2, 3];
        server.Send(id, data);
        server.Send(id, data, 2);
        server.Send(id, "text");
        t.Show("sent", server.TrySend(Ports.Soon, id, data, 3));
        t.Show("sent", server.TrySend(Ports.Soon, id, data));
        t.Show("sent", server.TrySend(id, data));
        t.Show("sent", server.TrySend(id, data, 3));
        t.Show("sent", server.TrySend(Ports.Soon, id, "soon"));
        t.Show("sent", server.TrySend(id, "now"));
        server.SendAsync(id, data).AsTask().Wait();
        server.SendAsync(id, data, 3).AsTask().Wait();
        server.SendAsync(id, "later").AsTask().Wait();
        for (int i = 0; i < 12; i++)
        {
            t.Show("received", client.TryReceiveBytes(Ports.Soon, out byte[]? bytes));
            t.Show("bytes", bytes);
        }

        t.Try("nobody", () => server.Send(12345u, "x"));
        t.Try("zero", () => server.TrySend(0u, "x"));
    }

    public static void A_server_receives_in_each_form(Transcript t)
    {
        using var server = new ServerSocket();
        server.Bind("inproc://server-receives");
        using var client = new ClientSocket();
        client.Connect("inproc://server-receives");
        for (int i = 0; i < 12; i++)
        {
            client.Send($"m{i}");
        }

        (uint first, byte[] bytes) = server.ReceiveBytes();
        t.Show("bytes", bytes);
        t.Show("bytes", server.TryReceiveBytes(out uint id, out byte[]? taken));
        t.Show("bytes", taken);
        t.Show("same", id == first);
        t.Show("bytes", server.TryReceiveBytes(Ports.Soon, out id, out taken));
        t.Show("bytes", taken);
        t.Show("later", server.ReceiveBytesAsync().AsTask().Result.Item2);
        t.Show("text", server.ReceiveString().Item2);
        t.Show("text", server.ReceiveString(Encoding.ASCII).Item2);
        t.Show("text", server.TryReceiveString(out id, out string? text));
        t.Show("text", text);
        t.Show("text", server.TryReceiveString(Encoding.ASCII, out id, out text));
        t.Show("text", text);
        t.Show("text", server.TryReceiveString(Ports.Soon, out id, out text));
        t.Show("text", text);
        t.Show("text", server.TryReceiveString(Ports.Soon, Encoding.ASCII, out id, out text));
        t.Show("text", text);
        t.Show("same", id == first);
        t.Show("later", server.ReceiveStringAsync().AsTask().Result.Item2);
        t.Show("all", First(server.ReceiveBytesAsyncEnumerable()).Result.Item2);
        client.Send("end");
        t.Show("all", First(server.ReceiveStringAsyncEnumerable()).Result.Item2);
        t.Show("none", server.TryReceiveBytes(out id, out taken));
        t.Show("bytes", $"{id} {taken is null}");
        t.Show("none", server.TryReceiveString(out id, out text));
    }

    public static void A_radio_sends_to_groups_in_each_form(Transcript t)
    {
        using var radio = new RadioSocket();
        using var dish = new DishSocket();
        Join(radio, dish, "g");
        byte[] data = [1, 2, 3];
        radio.Send("other", "nobody gets it");
        radio.Send("gg", "nobody gets it");
        radio.Send("g", data);
        radio.Send("g", data, 2);
        radio.Send("g", "text");
        t.Show("sent", radio.TrySend(Ports.Soon, "g", data, 3));
        t.Show("sent", radio.TrySend(Ports.Soon, "g", data));
        t.Show("sent", radio.TrySend("g", data));
        t.Show("sent", radio.TrySend("g", data, 3));
        t.Show("sent", radio.TrySend(Ports.Soon, "g", "soon"));
        t.Show("sent", radio.TrySend("g", "now"));
        radio.SendAsync("g", data).AsTask().Wait();
        radio.SendAsync("g", data, 3).AsTask().Wait();
        radio.SendAsync("g", "later").AsTask().Wait();
        for (int i = 0; i < 12; i++)
        {
            t.Show("received", dish.TryReceiveBytes(Ports.Soon, out string? group, out byte[]? bytes));
            t.Show("group", group);
            t.Show("bytes", bytes);
        }

        t.Try("too long", () => radio.Send(new string('x', 256), "x"));
    }

    public static void A_dish_receives_in_each_form(Transcript t)
    {
        using var radio = new RadioSocket();
        using var dish = new DishSocket();
        Join(radio, dish, "g");
        for (int i = 0; i < 12; i++)
        {
            radio.Send("g", $"m{i}");
        }

        t.Show("bytes", dish.ReceiveBytes().Item2);
        t.Show("later", dish.ReceiveBytesAsync().AsTask().Result.Item2);
        t.Show("text", dish.ReceiveString());
        t.Show("text", dish.ReceiveString(Encoding.ASCII));
        t.Show("text", dish.TryReceiveString(Ports.Soon, out string? group, out string? text));
        t.Show("text", $"{group} {text}");
        t.Show("text", dish.TryReceiveString(Ports.Soon, Encoding.ASCII, out group, out text));
        t.Show("text", $"{group} {text}");
        t.Show("later", dish.ReceiveStringAsync().AsTask().Result);
        t.Show("all", First(dish.ReceiveStringAsyncEnumerable()).Result);
        t.Show("all", First(dish.ReceiveBytesAsyncEnumerable()).Result.Item2);
        byte[]? bytes = null;
        t.Show("bytes", SpinWait.SpinUntil(() => dish.TryReceiveBytes(out group, out bytes), Ports.Soon));
        t.Show("bytes", bytes);
        t.Show("text", SpinWait.SpinUntil(() => dish.TryReceiveString(out group, out text), Ports.Soon));
        t.Show("text", $"{group} {text}");
        t.Show("text", SpinWait.SpinUntil(() => dish.TryReceiveString(Encoding.ASCII, out group, out text), Ports.Soon));
        t.Show("text", $"{group} {text}");
        t.Show("none", dish.TryReceiveString(out group, out text));
        t.Show("text", $"{group is null} {text is null}");
    }

    public static void A_dish_joins_and_leaves_groups(Transcript t)
    {
        using var radio = new RadioSocket();
        using var dish = new DishSocket();
        Join(radio, dish, "g");
        t.Try("twice", () => dish.Join("g"));
        t.Try("none", () => dish.Leave("h"));
        t.Try("too long", () => dish.Join(new string('x', 256)));
        t.Try("empty", () => dish.Join(""));
        t.Try("leave", () => dish.Leave("g"));
        t.Show("empty", Reaches(radio, dish, ""));
        radio.Send("g", "nobody gets it");
        t.Show("left", dish.TryReceiveString(TimeSpan.FromMilliseconds(200), out string? group, out _) && group == "g");
        Msg msg = default;
        msg.InitEmpty();
        t.Try("no group", () => radio.TrySend(ref msg, TimeSpan.Zero));
        t.Try("dish sends", () => dish.TrySend(ref msg, TimeSpan.Zero));
        t.Try("radio receives", () => radio.TryReceive(ref msg, TimeSpan.Zero));
    }

    public static void Peers_send_to_each_other(Transcript t)
    {
        using var first = new PeerSocket("@tcp://127.0.0.1:0");
        using var second = new PeerSocket();
        byte[] id = second.ConnectPeer(first.Options.LastEndpoint!);
        t.Show("id", id.Length);
        t.Show("last", second.Options.LastPeerRoutingId!.SequenceEqual(id));
        t.Show("last of others", new DealerSocket().Options.LastPeerRoutingId);
        second.SendMoreFrame(id).SendFrame("hello");
        NetMQMessage request = first.ReceiveMultipartMessage();
        t.Show("request", $"{request.FrameCount} {request.First.MessageSize} {request.Last.ConvertToString()}");
        first.SendMultipartMessage(request);
        NetMQMessage reply = second.ReceiveMultipartMessage();
        t.Show("reply", $"{reply.First.ToByteArray().SequenceEqual(id)} {reply.Last.ConvertToString()}");
        t.Try("nobody", () => second.SendMoreFrame([0, 1, 2, 3]));
    }

    private static void Join(RadioSocket radio, DishSocket dish, string group)
    {
        int port = radio.BindRandomPort("tcp://127.0.0.1");
        dish.Connect($"tcp://127.0.0.1:{port}");
        dish.Join(group);
        Reaches(radio, dish, group);
    }

    // Sends until a message arrives, and takes those that follow it.
    private static bool Reaches(RadioSocket radio, DishSocket dish, string group)
    {
        bool arrives = false;
        for (int i = 0; i < 50 && !arrives; i++)
        {
            radio.Send(group, "ready?");
            arrives = dish.TryReceiveString(TimeSpan.FromMilliseconds(100), out string? from, out _) && from == group;
        }

        radio.Send(group, "done");
        while (arrives && dish.ReceiveString().Item2 != "done")
        {
        }

        return arrives;
    }

    private static async Task<T> First<T>(IAsyncEnumerable<T> all)
    {
        await foreach (T each in all)
        {
            return each;
        }

        throw new InvalidOperationException("There was none.");
    }
}
