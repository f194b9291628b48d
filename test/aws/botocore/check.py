"""Makes every call that the simulated AWS answers, with boto3, and prints what was found as JSON.

usage: check.py answers URL     all calls, those that must fail, and the ranges of page sizes
       check.py refusals URL    one call of each service, to a server that refuses them all
"""

import base64
import json
import sys
import time

from client import Aws

USER_DATA = base64.b64encode(b"a node's user data").decode()
TAGS = [{"Key": "berth.sh/cluster", "Value": "check"}]
DISCOVERY = [{"Name": "tag:karpenter.sh/discovery", "Values": ["*"]}]
NOWHERE = "i-0123456789abcdef0"


def discovery(aws):
    aws.call("ec2", "DescribeAvailabilityZones")
    aws.call("ec2", "DescribeImages", Owners=["amazon", "self"], IncludeDeprecated=True)
    aws.call("ec2", "DescribeSpotPriceHistory", ProductDescriptions=["Linux/UNIX"], MaxResults=1000)
    aws.call("ec2", "DescribeCapacityReservations")
    aws.call("ec2", "DescribePlacementGroups")
    for action, size in (("DescribeInstanceTypes", 100), ("DescribeInstanceTypeOfferings", 1000)):
        token = {}
        while token is not None:
            page = aws.call("ec2", action, MaxResults=size, **token)
            token = {"NextToken": page["NextToken"]} if page.get("NextToken") else None
    aws.range("ec2", "DescribeSubnets", "MaxResults")
    aws.range("ec2", "DescribeSecurityGroups", "MaxResults")
    aws.range("ec2", "DescribeInstanceTypes", "MaxResults")
    aws.range("ec2", "DescribeInstanceTypeOfferings", "MaxResults")
    aws.range("ec2", "DescribeCapacityReservations", "MaxResults")
    aws.refused("ec2", "DescribeSubnets", "InvalidSubnetID.NotFound", 400, SubnetIds=["subnet-0123456789abcdef0"])
    aws.refused("ec2", "DescribeImages", "InvalidAMIID.NotFound", 400, ImageIds=["ami-0123456789abcdef0"])
    aws.refused("ec2", "DescribeInstanceTypes", "InvalidInstanceType", 400, InstanceTypes=["m5.gigantic"])
    aws.refused("ec2", "DescribeSubnets", "InvalidParameterValue", 400, Filters=[{"Name": "colour", "Values": ["red"]}])
    aws.refused("ec2", "DescribeSecurityGroups", "InvalidNextToken", 400, NextToken="no token of ours", MaxResults=5)
    # An action that EC2 has and the simulator has not.
    aws.refused("ec2", "DescribeVpcs", "InvalidAction", 400)


def launch_templates(aws, image, group):
    data = {
        "ImageId": image,
        "UserData": USER_DATA,
        "IamInstanceProfile": {"Name": "berth-node"},
        "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1, "HttpEndpoint": "enabled"},
        "BlockDeviceMappings": [
            {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 20, "VolumeType": "gp3", "Encrypted": True}}
        ],
        "NetworkInterfaces": [
            {"DeviceIndex": 0, "AssociatePublicIpAddress": True, "Groups": [group], "PrimaryIpv6": True, "Ipv6AddressCount": 1},
            {"NetworkCardIndex": 1, "DeviceIndex": 1, "InterfaceType": "efa", "Groups": [group]},
        ],
        "Placement": {"GroupName": "close-together"},
        "CpuOptions": {"NestedVirtualization": "enabled"},
        "EnclaveOptions": {"Enabled": True},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}},
        "Monitoring": {"Enabled": True},
        "TagSpecifications": [{"ResourceType": "network-interface", "Tags": TAGS}],
    }
    name = {"LaunchTemplateName": "botocore-check"}
    aws.call(
        "ec2",
        "CreateLaunchTemplate",
        LaunchTemplateData=data,
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": TAGS}],
        **name,
    )
    # Machines are launched from the second version, which is of the plain kind.
    plain = {"ImageId": image, "UserData": USER_DATA, "IamInstanceProfile": {"Name": "berth-node"}, "SecurityGroupIds": [group]}
    aws.call("ec2", "CreateLaunchTemplateVersion", LaunchTemplateData=plain, **name)
    aws.call("ec2", "ModifyLaunchTemplate", DefaultVersion="2", **name)
    aws.call("ec2", "DescribeLaunchTemplates", Filters=[{"Name": "tag:berth.sh/cluster", "Values": ["check"]}])
    versions = aws.call("ec2", "DescribeLaunchTemplateVersions", Versions=["1", "$Latest", "$Default"], **name)
    first = next(each for each in versions["LaunchTemplateVersions"] if each["VersionNumber"] == 1)
    expect("a template says what it was told", first["LaunchTemplateData"], data)
    aws.range("ec2", "DescribeLaunchTemplates", "MaxResults")
    taken = "InvalidLaunchTemplateName.AlreadyExistsException"
    missing = "InvalidLaunchTemplateName.NotFoundException"
    aws.refused("ec2", "CreateLaunchTemplate", taken, 400, LaunchTemplateData=data, **name)
    aws.refused("ec2", "DescribeLaunchTemplates", missing, 400, LaunchTemplateNames=["nowhere"])
    aws.refused("ec2", "DeleteLaunchTemplate", missing, 400, LaunchTemplateName="nowhere")
    aws.refused("ec2", "DeleteLaunchTemplate", "DryRunOperation", 412, DryRun=True, **name)


def fleet(subnets, token, lifecycle, size=2):
    """What CreateFleet takes: a type that is sold out (the caller sees to it), and one that is not."""
    return {
        "Type": "instant",
        "ClientToken": token,
        "LaunchTemplateConfigs": [
            {
                "LaunchTemplateSpecification": {"LaunchTemplateName": "botocore-check", "Version": "$Latest"},
                "Overrides": [
                    {"InstanceType": kind, "SubnetId": subnet["SubnetId"], "Priority": index}
                    for index, kind in enumerate(("c5.large", "m5.large"))
                    for subnet in subnets
                ],
            }
        ],
        "TargetCapacitySpecification": {"TotalTargetCapacity": size, "DefaultTargetCapacityType": lifecycle},
        "TagSpecifications": [{"ResourceType": "instance", "Tags": TAGS}],
    }


def machines(aws, subnets, image):
    spot = aws.call("ec2", "CreateFleet", **fleet(subnets, "spot-1", "spot"))
    expect("CreateFleet tells what is sold out", {error["ErrorCode"] for error in spot["Errors"]}, {"InsufficientInstanceCapacity"})
    expect("CreateFleet launches the others", sum(len(group["InstanceIds"]) for group in spot["Instances"]), 2)
    again = aws.call("ec2", "CreateFleet", **fleet(subnets, "spot-1", "spot"))
    expect("CreateFleet answers a token once", again["Instances"], spot["Instances"])
    aws.refused("ec2", "CreateFleet", "IdempotentParameterMismatch", 400, **fleet(subnets, "spot-1", "spot", size=3))
    aws.refused("ec2", "CreateFleet", "DryRunOperation", 412, DryRun=True, **fleet(subnets, "dry", "spot"))
    aws.call("ec2", "CreateFleet", **fleet(subnets, "on-demand-1", "on-demand"))
    one = {"MinCount": 1, "MaxCount": 1, "SubnetId": subnets[0]["SubnetId"], "ImageId": image}
    aws.call("ec2", "RunInstances", InstanceType="m5.large", **one)
    aws.refused("ec2", "RunInstances", "InsufficientInstanceCapacity", 500, InstanceType="c5.large", **one)
    ours = [{"Name": "tag:berth.sh/cluster", "Values": ["check"]}]
    listed = aws.call("ec2", "DescribeInstances", Filters=ours, MaxResults=1000)
    ids = [machine["InstanceId"] for group in listed["Reservations"] for machine in group["Instances"]]
    expect("DescribeInstances finds all by their tag", len(ids), 4)
    until_running(aws, ids)
    aws.call("ec2", "CreateTags", Resources=ids, Tags=[{"Key": "Name", "Value": "<a> & “b”"}])
    tagged = aws.call("ec2", "DescribeInstances", InstanceIds=ids[:1])
    tags = {tag["Key"]: tag["Value"] for tag in tagged["Reservations"][0]["Instances"][0]["Tags"]}
    expect("tags are carried unharmed", tags["Name"], "<a> & “b”")
    aws.call("ec2", "DeleteTags", Resources=ids, Tags=[{"Key": "Name"}])
    statuses = aws.call("ec2", "DescribeInstanceStatus", IncludeAllInstances=True)["InstanceStatuses"]
    # The caller has maintenance announced for every machine that runs.
    expect("announced maintenance is told", {len(status.get("Events", [])) for status in statuses}, {1})
    aws.refused("ec2", "DescribeInstances", "InvalidInstanceID.NotFound", 400, InstanceIds=[NOWHERE])
    aws.refused("ec2", "DescribeInstances", "InvalidInstanceID.Malformed", 400, InstanceIds=["a-machine"])
    aws.refused("ec2", "CreateTags", "InvalidInstanceID.NotFound", 400, Resources=[NOWHERE], Tags=TAGS)
    aws.refused("ec2", "RebootInstances", "InvalidInstanceID.NotFound", 400, InstanceIds=[*ids, NOWHERE])
    aws.call("ec2", "RebootInstances", InstanceIds=ids[:1])
    aws.refused("ec2", "TerminateInstances", "InvalidInstanceID.NotFound", 400, InstanceIds=[*ids, NOWHERE])
    aws.call("ec2", "TerminateInstances", InstanceIds=ids)
    aws.call("ec2", "DescribeInstances", InstanceIds=ids)
    aws.call("ec2", "DeleteLaunchTemplateVersions", LaunchTemplateName="botocore-check", Versions=["1", "77"])
    aws.call("ec2", "DeleteLaunchTemplate", LaunchTemplateName="botocore-check")


def until_running(aws, ids):
    for _ in range(100):
        groups = aws.call("ec2", "DescribeInstances", InstanceIds=ids)["Reservations"]
        if {machine["State"]["Name"] for group in groups for machine in group["Instances"]} == {"running"}:
            return
        time.sleep(0.05)
    raise TimeoutError("the machines do not run")


def profiles(aws):
    name = {"InstanceProfileName": "botocore-check"}
    aws.call("iam", "CreateRole", RoleName="botocore-role", AssumeRolePolicyDocument="{}")
    aws.call("iam", "GetRole", RoleName="botocore-role")
    aws.call("iam", "CreateInstanceProfile", Tags=TAGS, **name)
    aws.call("iam", "AddRoleToInstanceProfile", RoleName="botocore-role", **name)
    profile = aws.call("iam", "GetInstanceProfile", **name)["InstanceProfile"]
    expect("a profile has its role", [role["RoleName"] for role in profile["Roles"]], ["botocore-role"])
    aws.call("iam", "ListInstanceProfiles")
    aws.call("iam", "TagInstanceProfile", Tags=[{"Key": "more", "Value": "tags"}], **name)
    aws.call("iam", "UntagInstanceProfile", TagKeys=["more"], **name)
    aws.range("iam", "ListInstanceProfiles", "MaxItems")
    aws.refused("iam", "GetInstanceProfile", "NoSuchEntity", 404, InstanceProfileName="nowhere")
    aws.refused("iam", "GetRole", "NoSuchEntity", 404, RoleName="nobody")
    aws.refused("iam", "CreateInstanceProfile", "EntityAlreadyExists", 409, **name)
    aws.refused("iam", "AddRoleToInstanceProfile", "LimitExceeded", 409, RoleName="berth-node", **name)
    aws.refused("iam", "DeleteInstanceProfile", "DeleteConflict", 409, **name)
    aws.call("iam", "RemoveRoleFromInstanceProfile", RoleName="botocore-role", **name)
    aws.call("iam", "DeleteInstanceProfile", **name)


def queue(aws):
    url = {"QueueUrl": aws.call("sqs", "CreateQueue", QueueName="botocore-check")["QueueUrl"]}
    aws.call("sqs", "GetQueueUrl", QueueName="botocore-check")
    aws.call("sqs", "ListQueues")
    aws.call("sqs", "SetQueueAttributes", Attributes={"VisibilityTimeout": "60"}, **url)
    aws.call("sqs", "GetQueueAttributes", AttributeNames=["All"], **url)
    expect("an empty queue says nothing", aws.call("sqs", "ReceiveMessage", **url).get("Messages"), None)
    aws.call("sqs", "SendMessage", MessageBody="naïve “text”", **url)
    entries = [{"Id": str(index), "MessageBody": f"message {index}"} for index in range(3)]
    aws.call("sqs", "SendMessageBatch", Entries=entries, **url)
    got = []
    while len(got) < 4:
        got += aws.call("sqs", "ReceiveMessage", MaxNumberOfMessages=10, AttributeNames=["All"], **url)["Messages"]
    expect("texts are carried unharmed", "naïve “text”" in {message["Body"] for message in got}, True)
    receipts = [message["ReceiptHandle"] for message in got]
    aws.call("sqs", "ChangeMessageVisibility", ReceiptHandle=receipts[0], VisibilityTimeout=100, **url)
    visibility = [{"Id": "1", "ReceiptHandle": receipts[1], "VisibilityTimeout": 100}]
    aws.call("sqs", "ChangeMessageVisibilityBatch", Entries=visibility, **url)
    aws.call("sqs", "DeleteMessage", ReceiptHandle=receipts[0], **url)
    gone = [{"Id": "good", "ReceiptHandle": receipts[1]}, {"Id": "bad", "ReceiptHandle": "no receipt"}]
    deleted = aws.call("sqs", "DeleteMessageBatch", Entries=gone, **url)
    expect("a batch fails entry by entry", [entry["Id"] for entry in deleted["Failed"]], ["bad"])
    missing = "AWS.SimpleQueueService.NonExistentQueue"
    aws.refused("sqs", "GetQueueUrl", missing, 400, QueueName="nowhere")
    aws.refused("sqs", "DeleteMessage", "ReceiptHandleIsInvalid", 404, ReceiptHandle="no receipt", **url)
    aws.refused("sqs", "DeleteMessageBatch", "AWS.SimpleQueueService.EmptyBatchRequest", 400, Entries=[], **url)
    aws.refused("sqs", "ReceiveMessage", "InvalidParameterValue", 400, MaxNumberOfMessages=11, **url)
    aws.call("sqs", "PurgeQueue", **url)
    aws.call("sqs", "DeleteQueue", **url)


def small_services(aws):
    alias = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    aws.call("ssm", "GetParameter", Name=alias)
    found = aws.call("ssm", "GetParameters", Names=[alias, "/nowhere"])
    expect("GetParameters tells what is missing", found["InvalidParameters"], ["/nowhere"])
    path = "/aws/service/eks/optimized-ami/1.36"
    aws.call("ssm", "GetParametersByPath", Path=path, Recursive=True)
    aws.call("ssm", "PutParameter", Name="/own/image", Value="ami-0123456789abcdef0", Type="String")
    aws.range("ssm", "GetParametersByPath", "MaxResults", Path=path, Recursive=True)
    aws.refused("ssm", "GetParameter", "ParameterNotFound", 400, Name="/nowhere")
    aws.refused("ssm", "PutParameter", "AccessDeniedException", 400, Name="/aws/own", Value="x", Type="String")
    aws.refused("ssm", "PutParameter", "ParameterAlreadyExists", 400, Name="/own/image", Value="x", Type="String")
    aws.call("pricing", "DescribeServices")
    linux = [{"Type": "TERM_MATCH", "Field": "operatingSystem", "Value": "Linux"}]
    products = aws.call("pricing", "GetProducts", ServiceCode="AmazonEC2", Filters=linux, MaxResults=10)
    expect("a product is JSON in JSON", json.loads(products["PriceList"][0])["product"]["productFamily"][:7], "Compute")
    aws.range("pricing", "GetProducts", "MaxResults", ServiceCode="AmazonEC2")
    aws.refused("pricing", "GetProducts", "NotFoundException", 400, ServiceCode="AmazonHats")
    name = aws.call("eks", "ListClusters")["clusters"][0]
    arn = aws.call("eks", "DescribeCluster", name=name)["cluster"]["arn"]
    shifted = aws.call("arc-zonal-shift", "GetManagedResource", resourceIdentifier=arn)
    away = [shift["awayFrom"] for shift in shifted["zonalShifts"]]
    expect("a zone without weight is the one shifted away from", [shifted["appliedWeights"][zone] for zone in away], [0])
    unknown = {"resourceIdentifier": arn + "-nowhere"}
    aws.refused("arc-zonal-shift", "GetManagedResource", "ResourceNotFoundException", 404, **unknown)
    aws.range("eks", "ListClusters", "maxResults")
    aws.refused("eks", "DescribeCluster", "ResourceNotFoundException", 404, name="nowhere")
    entry = aws.call("eks", "ListAccessEntries", clusterName=name)["accessEntries"][0]
    found = aws.call("eks", "DescribeAccessEntry", clusterName=name, principalArn=entry)["accessEntry"]
    expect("an access entry is found by its ARN", (found["principalArn"], found["type"]), (entry, "EC2_LINUX"))
    aws.range("eks", "ListAccessEntries", "maxResults", clusterName=name)
    nobody = {"clusterName": name, "principalArn": entry + "-nobody"}
    aws.refused("eks", "DescribeAccessEntry", "ResourceNotFoundException", 404, **nobody)
    queue = aws.call("sqs", "ListQueues")["QueueUrls"][0]
    target = aws.call("sqs", "GetQueueAttributes", AttributeNames=["QueueArn"], QueueUrl=queue)["Attributes"]["QueueArn"]
    rule = aws.call("events", "ListRuleNamesByTarget", TargetArn=target)["RuleNames"][0]
    pattern = json.loads(aws.call("events", "DescribeRule", Name=rule)["EventPattern"])
    expect("a rule's pattern is JSON in JSON", sorted(pattern), ["detail-type", "source"])
    aws.range("events", "ListRuleNamesByTarget", "Limit", TargetArn=target)
    aws.refused("events", "DescribeRule", "ResourceNotFoundException", 400, Name="nowhere")
    expect("the caller is told its account", aws.call("sts", "GetCallerIdentity")["Arn"].split(":")[2], "sts")


UNDERSTOOD = []


def expect(what, found, expected):
    UNDERSTOOD.append({"what": what, "found": str(found), "expected": str(expected), "ok": found == expected})


def answers(aws):
    discovery(aws)
    subnets = aws.call("ec2", "DescribeSubnets", Filters=DISCOVERY)["Subnets"]
    image = aws.call("ec2", "DescribeImages", Owners=["self"], Filters=[{"Name": "architecture", "Values": ["x86_64"]}])
    image_id = image["Images"][0]["ImageId"]
    group = aws.call("ec2", "DescribeSecurityGroups", Filters=DISCOVERY)["SecurityGroups"][0]["GroupId"]
    launch_templates(aws, image_id, group)
    machines(aws, subnets, image_id)
    profiles(aws)
    queue(aws)
    small_services(aws)
    return {**aws.report(), "understood": UNDERSTOOD}


def refusals(aws):
    calls = {
        "ec2": ("DescribeSubnets", {}),
        "iam": ("GetRole", {"RoleName": "berth-node"}),
        "sqs": ("GetQueueUrl", {"QueueName": "berth-demo"}),
        "ssm": ("GetParameter", {"Name": "/own/image"}),
        "pricing": ("DescribeServices", {}),
        "eks": ("DescribeCluster", {"name": "berth-demo"}),
        "events": ("DescribeRule", {"Name": "nowhere"}),
        "sts": ("GetCallerIdentity", {}),
        "arc-zonal-shift": ("GetManagedResource", {"resourceIdentifier": "arn:aws:eks:eu-west-3:0:cluster/nowhere"}),
    }
    return {service: aws.failure(service, action, **parameters) for service, (action, parameters) in calls.items()}


if __name__ == "__main__":
    print(json.dumps({"answers": answers, "refusals": refusals}[sys.argv[1]](Aws(sys.argv[2]))))
