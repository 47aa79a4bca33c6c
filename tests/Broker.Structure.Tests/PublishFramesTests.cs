using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

/// <summary>
/// The methods that a stack trace of one publish shows in a build without inlining: from the loop's iteration to the
/// write into the subscriber's buffer, and from the same iteration to the send. Decision 29 says why each is a method
/// of its own.
/// </summary>
public sealed class PublishFramesTests
{
    private const string ToBuffer = "to the buffer";
    private const string ToSocket = "to the socket";
    private const int MostFrames = 16;

    private static readonly Dictionary<string, string[]> Paths = new()
    {
        [ToBuffer] =
        [
            "Broker.Transport.EventLoop::RunIteration",
            "Broker.Transport.EpollPoller::Dispatch",
            "Broker.Transport.PullConnection::OnReadable",
            "Broker.Transport.PullConnection::Read",
            "Broker.Transport.InboundBuffer::Deliver",
            "Broker.Server.ClientSession::OnReceived",
            "Broker.Server.ClientReceiving::Receive",
            "Broker.Protocol.ClientOperationParser::Parse",
            "Broker.Protocol.OperationParsing::Parse",
            "Broker.Protocol.ClientOperationParser/Side`1::ReadMessage",
            "Broker.Protocol.ClientOperationParser::CallHandler",
            "Broker.Server.ClientReceiving/Operations::OnPublish",
            "Broker.Server.ClientPublishing::Publish",
            "Broker.Server.RoutingPublisher::TryDeliverInBatch",
            "Broker.Server.DirectBatch::Write",
            "Broker.Transport.LoopWriteBuffer::GetSpan",
        ],
        [ToSocket] =
        [
            "Broker.Transport.EventLoop::RunIteration",
            "Broker.Transport.IterationWork::Flush",
            "Broker.Transport.FlushScheduler::Flush",
            "Broker.Transport.FlushScheduler::FlushOne",
            "Broker.Transport.OutboundSender::Flush",
            "Broker.Transport.OutboundPump::Flush",
            "Broker.Transport.OutboundPump::Send",
            "Broker.Transport.EpollConnection::Send",
            "Broker.Transport.EpollConnection::SendOne",
            "Broker.Transport.LibC::Send",
        ],
    };

    public static TheoryData<string> Ends => [ToBuffer, ToSocket];

    [Theory]
    [MemberData(nameof(Ends))]
    public void A_publish_has_at_most_sixteen_frames(string end) => Assert.InRange(Paths[end].Length, 2, MostFrames);

    // A method that comes between two others breaks the chain here, and must be added to it.
    [Theory]
    [MemberData(nameof(Ends))]
    public void Each_method_calls_the_next(string end)
    {
        Dictionary<string, TypeDefinition> types = Types();

        IEnumerable<string> broken = Paths[end].Zip(Paths[end].Skip(1))
            .Where(pair => !Calls(types, pair.First, pair.Second))
            .Select(static pair => $"{pair.First} does not call {pair.Second}");

        Assert.Empty(broken);
    }

    [Theory]
    [InlineData("Broker.Transport.EventLoop::RunIteration", "Broker.Transport.PullConnection::OnReadable")]
    [InlineData("Broker.Transport.EventLoop::NoSuchMethod", "Broker.Transport.EpollPoller::Dispatch")]
    public void A_method_that_does_not_call_the_next_is_found(string caller, string called)
        => Assert.False(Calls(Types(), caller, called));

    private static Dictionary<string, TypeDefinition> Types() => new[] { "Broker.Protocol", "Broker.Transport", "Broker.Server" }
        .SelectMany(static name => Assemblies.Read(name).MainModule.GetAllTypes())
        .Where(static type => type.FullName.StartsWith(Assemblies.Prefix, StringComparison.Ordinal))
        .ToDictionary(static type => type.FullName);

    private static bool Calls(Dictionary<string, TypeDefinition> types, string caller, string called)
    {
        (string callerType, string callerName) = Divide(caller);
        (string calledType, string calledName) = Divide(called);
        HashSet<string> declaring = [.. WithBases(types, calledType)];
        return types[callerType].Methods
            .Where(method => method.Name == callerName && method.HasBody)
            .SelectMany(static method => method.Body.Instructions)
            .Where(static instruction => instruction.OpCode.Code is Code.Call or Code.Callvirt)
            .Select(static instruction => (MethodReference)instruction.Operand)
            .Any(method => method.Name == calledName && declaring.Contains(method.DeclaringType.GetElementType().FullName));
    }

    // A call of a virtual or interface method names the type that declares it.
    private static IEnumerable<string> WithBases(Dictionary<string, TypeDefinition> types, string name)
    {
        if (!types.TryGetValue(name, out TypeDefinition? type))
        {
            return [name];
        }

        IEnumerable<TypeReference> bases = type.Interfaces.Select(static implemented => implemented.InterfaceType);
        if (type.BaseType is { } baseType)
        {
            bases = bases.Append(baseType);
        }

        return bases.SelectMany(above => WithBases(types, above.GetElementType().FullName)).Prepend(name);
    }

    private static (string Type, string Method) Divide(string member)
    {
        string[] parts = member.Split("::");
        return (parts[0], parts[1]);
    }
}
