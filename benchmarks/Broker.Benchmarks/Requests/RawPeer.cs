using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Benchmarks.Requests;

/// <summary>The handshake of a client that is a plain socket.</summary>
internal static class RawPeer
{
    /// <summary>Returns when the server has processed <paramref name="commands"/>.</summary>
    internal static void Connect(Socket socket, IPEndPoint server, string commands)
    {
        socket.Connect(server);
        socket.Send(Encoding.ASCII.GetBytes($"CONNECT {{\"verbose\":false}}\r\n{commands}PING\r\n"));
        byte[] answer = new byte[4096];
        while (!answer.AsSpan(0, socket.Receive(answer)).EndsWith("PONG\r\n"u8))
        {
        }
    }
}
