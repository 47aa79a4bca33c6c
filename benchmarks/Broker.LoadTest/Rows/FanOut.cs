using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>One publisher and several readers. Each reader has its own connection and receives everything.</summary>
internal sealed class FanOut(string name, string what, int readers, byte[] payload, string subject = "foo")
    : Delivery(name, what, new Topology { Subject = subject, PayloadSize = payload.Length, Readers = readers }, payload)
{
    public FanOut(string name, int readers, int payloadSize)
        : this(name, $"1 publisher → {readers} readers, {payloadSize} B", readers, Payloads.Pattern(payloadSize))
    {
    }
}
