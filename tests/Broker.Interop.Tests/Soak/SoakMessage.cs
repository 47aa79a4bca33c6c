using System.Text;

namespace Broker.Interop.Tests.Soak;

/// <summary>What a subscriber was sent.</summary>
internal sealed record SoakMessage(string Subject, string Sid, string Reply, string Headers, byte[] Payload)
{
    internal string Text => Encoding.ASCII.GetString(Payload);
}
