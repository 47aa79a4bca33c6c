using System.Globalization;
using Broker.NetMqPeer;

// Programs of NetMQ's own API, which tests start as they start those of libzmq. None of them uses code of this project.
// "host" understands the commands of Broker.ZeroMq.Tests/peers/python/host.py, and the others take the arguments that
// Broker.Interop.Tests/peers/README.md lists.
switch (args)
{
    case ["host"]:
        new Host().Run();
        break;
    case ["zmq_pub", var address, var how]:
        Publisher.Run(address, how);
        break;
    case ["zmq_sub", var address, var how, var topic, var count]:
        Subscriber.Run(address, how, topic, int.Parse(count, CultureInfo.InvariantCulture));
        break;
    case ["push_and_pull", var pushers, var pullers, var messages, var size]:
        PushAndPull.Run(pushers, pullers, int.Parse(messages, CultureInfo.InvariantCulture), int.Parse(size, CultureInfo.InvariantCulture));
        break;
    case ["pub_and_sub", var publishers, var subscribers]:
        PubAndSub.Run(publishers, subscribers);
        break;
    case ["request_and_reply", var clients, var workers]:
        RequestAndReply.Run(clients, workers);
        break;
    case ["three_patterns", var how, var messages, .. var endpoints] when endpoints.Length == 6:
        new ThreePatterns(int.Parse(messages, CultureInfo.InvariantCulture), isDirect: how == "direct").Run(endpoints);
        break;
    default:
        throw new ArgumentException($"There is no program '{string.Join(' ', args)}'.");
}
