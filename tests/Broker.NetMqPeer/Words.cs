using NetMQ;

namespace Broker.NetMqPeer;

/// <summary>The notation of the peers: hexadecimal digits, or <c>-</c> for no bytes.</summary>
internal static class Words
{
    public static string Encode(byte[] bytes) => bytes.Length == 0 ? "-" : Convert.ToHexStringLower(bytes);

    public static byte[] Decode(string word) => word == "-" ? [] : Convert.FromHexString(word);

    public static void Meet(NetMQSocket socket, string address, string how)
    {
        if (how == "bind")
        {
            socket.Bind(address);
        }
        else
        {
            socket.Connect(address);
        }
    }
}
